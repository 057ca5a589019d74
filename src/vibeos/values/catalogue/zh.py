"""Chinese."""

GROUP_MARK = ","

TEXTS = {
    "snapshot.memory": "记忆（你的个人笔记）",
    "snapshot.user": "用户画像（用户是谁）",
    "snapshot.usage": "[{percent}% — {used}/{limit} 字符]",
    "snapshot.withheld": "[{file} 的第 {number} 条未显示：没有通过安全扫描（{rule}）。]",
    "snapshot.unreadable": "[{file} 无法读取，本提示词中没有它。它不是空的：写入时不要当它是空的。]",
    "snapshot.over": "[{file} 还有 {count} 条未显示：文件远超上限。]",
    "notice.withheld": "{file} 的第 {number} 条没有交给模型：{reason}。请用 `vibeos memory show` 查看，然后替换或删除。",
    "notice.unreadable": "{file} 没有交给模型：{reason}",
    "notice.over": "{file} 有 {used} 个字符，远超上限 {limit}；{count} 条没有交给模型。请移走或删除一些。",
    "memory.added": "已添加。",
    "memory.duplicate": "该条目已存在：重复项未添加。",
    "memory.replaced": "已替换。",
    "memory.merged": "已替换；新内容与另一条相同，只保留一条。",
    "memory.removed": "已删除。",
    "memory.batch": "{count} 个操作全部完成。",
    "memory.not_applied": "这一批操作都没有执行；第 {number} 个（共 {count} 个）失败：{error}",
    "memory.overflow_add": (
        "存储已用 {used}/{limit} 个字符。添加这一条（{size} 个字符）会达到 {would}。请现在腾出空间：用 'replace' 把重叠的条目"
        "合并成更短的，或用 'remove' 删除过时或最不重要的（见 current_entries），然后在本回合内再次添加。"
    ),
    "memory.overflow": (
        "存储已用 {used}/{limit} 个字符。这一改动会达到 {would}。请缩短新内容，或对其他条目使用 'replace' 和 'remove' "
        "腾出空间（见 current_entries），然后在本回合内重试。"
    ),
    "memory.empty_content": "'content' 为空。要删除条目，请使用带 old_text 的 'remove'。",
    "memory.empty_old_text": "'old_text' 为空。请给出该条目中其他条目没有的一小段文字。",
    "memory.no_match": "没有条目包含 {old_text}。",
    "memory.ambiguous": "有 {count} 条包含 {old_text}：{previews}。请给出只有其中一条才有的更长的一段。",
    "memory.delimiter": "条目中不能有只含 '§' 的一行：这样的行用来分隔条目。请去掉它，或分成两条添加。",
    "memory.ill_formed": "文本含有 NUL 字符或半个代理对，文件无法保存。请去掉后重试。",
    "memory.blocked": "未写入：文本没有通过安全扫描（{reason}）。记忆里只放普通事实。",
    "memory.document": (
        "包含 {old_text} 的条目有 {lines} 行，像是手写的文档，其中一部分不能代表整条。没有任何改动；副本在 {backup}。"
        "请把整条内容作为 old_text，或请用户运行 `vibeos memory split` 把它拆成多条。"
    ),
    "memory.unreadable": "{reason} 没有写入任何内容，不能把存储当作空的。",
    "memory.not_text": "{file} 不是有效的 UTF-8 文本。没有写入任何内容；副本在 {backup}。请把文件存为 UTF-8 后重试。",
    "memory.disabled": "记忆已关闭（memory.memory_enabled: false）。没有写入任何内容。",
    "memory.user_disabled": "用户画像已关闭（memory.user_profile_enabled: false）。没有写入任何内容。",
    "memory.needs_approval": (
        "未写入：memory.write_approval 已开启，而这里还不能批准模型的写入。用户可以用 `vibeos memory add|replace|remove` "
        "自行修改，或关闭批准。"
    ),
    "memory.final": "本回合已失败 {count} 次。请停止：本回合不要再调用 memory，现在就回答用户。",
    "memory.unknown_action": "未知操作 {action}。可用 'add'、'replace'、'remove'。没有 'read'：记忆就在你的提示词里。",
    "memory.unknown_target": "未知目标 {target}。可用 'memory' 或 'user'。",
    "memory.bad_arguments": "无法理解这次调用：{problem}。请以文本给出 action、target、content 和 old_text，或给出列表 'operations'。",
    "memory.no_operations": "'operations' 为空。请至少给出一个操作。",
    "memory.overflow_add.person": "已用 {used}/{limit} 个字符。加上这一条（{size} 个字符）会达到 {would}。请缩短它，或先腾出空间：`vibeos memory show`，然后 `replace` 或 `remove`。",
    "memory.overflow.person": "已用 {used}/{limit} 个字符。这一改动会达到 {would}。请缩短新内容，或先腾出空间：`vibeos memory show`，然后 `replace` 或 `remove`。",
    "memory.no_match.person": "没有条目包含 {old_text}。用 `vibeos memory show` 查看。",
    "memory.empty_content.person": "条目内容为空。要删除条目：`vibeos memory remove`。",
    "memory.empty_old_text.person": "请给出目标条目的一部分；用 `vibeos memory show` 查看。",
    "status.store": "{percent}% — {used}/{limit} 字符，条目：{count}",
    "status.after": "{file}：{used}/{limit} 字符",
    "memory.gate_failed": "未写入：批准检查失败（{reason}）。",
}
