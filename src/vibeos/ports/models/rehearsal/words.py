"""What the rehearsal says, in English, Russian and Chinese. Every language has the same texts with the same values."""

from __future__ import annotations

QUOTE_CHARACTERS = 400

_EN = {
    "introduction": "(The rehearsal speaking: a demonstration that follows fixed rules, no language model. The tools, the memory and the record behind it are real.)",
    "what_i_am": (
        "I am the rehearsal of VibeOS. I follow a table of rules and understand only a few kinds of sentences:\n"
        "- work through the folder notes\n"
        "- remember that my favourite editor is Helix; forget what I said about the editor\n"
        "- what is my favourite editor? What do you know about Helix?\n"
        "- what did we decide about the database?\n"
        "- run ls -l; ask me which colour I like\n"
        "- status, stop, go on\n"
        "What you said is in the record all the same. For everything else configure a real model: vibeos config set model.name openai:MODEL"
    ),
    "no_tool": "I cannot do that here: this conversation gives me no tool for it ({tool}).",
    "information": "Noted, as information: {text} Only what you type yourself is a request to me.",
    "queue_listing": "I look at what is in {folder}.",
    "queue_unlistable": "I could not list {folder}: {reason}",
    "queue_empty": "There is no file to read in {folder}, so there is nothing to do.",
    "queue_found": "{folder} holds {count} files to read.",
    "queue_skipped": "Left out: {names}.",
    "queue_more": "and {count} more",
    "queue_read": "{number} of {count}: {line}",
    "queue_again": "What became of {name} is not known after the interruption, so I read it again.",
    "queue_next": "Next: {name} ({number} of {count}).",
    "queue_next_report": "Next: the report, {path}.",
    "queue_done": "Done: {count} of {total} files of {folder} are read. The report is in {path}.",
    "queue_not_written": "{count} of {total} files of {folder} are read, but the report {path} was not written: {reason}",
    "queue_no_writing": "{count} of {total} files of {folder} are read. I have no tool to write a report with, so here it is.",
    "file_line": "{name}: {first} ({lines} lines, {words} words)",
    "file_part": "{name}: {first} (longer than what I was shown: {lines} lines, {words} words of it)",
    "file_unread": "{name} could not be read: {reason}",
    "file_blank": "empty",
    "report_title": "Report on {folder}",
    "report_foot": "Written by the rehearsal of VibeOS, by rule: the first heading or line of each file, its lines and words.",
    "status_queue": "Under way: {folder}, {count} of {total} files read. Next: {name}.",
    "status_paused": 'Waiting: {folder}, {count} of {total} files read. Say "go on" and I go on with {name}.',
    "status_idle": "Nothing is under way.",
    "the_list": "the list of files",
    "the_report": "the report",
    "stopped": "Stopped.",
    "nothing_to_go_on_with": "There is nothing to go on with. Give me a folder: work through the folder NAME",
    "going_on": "I go on where I was.",
    "saved": "Saved to {store}: {content}",
    "not_saved": "Not saved. The memory tool said: {reason}",
    "forgotten": "Forgotten. Removed from {store}: {content}",
    "not_forgotten": "Nothing was removed. The memory tool said: {reason}",
    "nothing_to_forget": "No entry of my memory is about that: {about}",
    "which_to_forget": "Several entries are about that. Which one do you mean?\n{entries}",
    "from_memory": "From my memory ({store}): {entries}",
    "from_here": 'You said in this conversation: "{text}"',
    "from_session": 'From session {session}, message {number}, {time}, {author}:\n"{text}"',
    "not_known": "I do not know. Neither my memory nor earlier sessions say anything about it.",
    "not_found": "I found nothing about it, neither in earlier sessions nor in my memory.",
    "search_failed": "I could not search: {reason}",
    "ran": "The command gave:\n{output}",
    "asked": "Your answer: {answer}",
    "not_answered": "I asked. {answer}",
    "person": "you",
    "agent": "I",
    "program": "a program",
    "cut": "[… cut]",
}

_RU = {
    "introduction": "(Говорит репетиция: показ по твёрдым правилам, не языковая модель. Инструменты, память и запись за ней настоящие.)",
    "what_i_am": (
        "Я репетиция VibeOS. Я следую таблице правил и понимаю только несколько видов фраз:\n"
        "- обработай папку notes\n"
        "- запомни, что мой любимый редактор Helix; забудь про редактор\n"
        "- какой у меня любимый редактор? Что ты знаешь о Helix?\n"
        "- что мы решили о базе данных?\n"
        "- выполни ls -l; спроси меня, какой цвет мне нравится\n"
        "- статус, стоп, продолжай\n"
        "Сказанное всё равно записано. Для всего остального настройте настоящую модель: vibeos config set model.name openai:MODEL"
    ),
    "no_tool": "Здесь я этого не могу: в этом разговоре у меня нет такого инструмента ({tool}).",
    "information": "Принято к сведению: {text} Просьбой для меня служит только то, что вы пишете сами.",
    "queue_listing": "Смотрю, что лежит в {folder}.",
    "queue_unlistable": "Не удалось получить список файлов {folder}: {reason}",
    "queue_empty": "В {folder} нет файлов для чтения, делать нечего.",
    "queue_found": "Файлов для чтения в {folder}: {count}.",
    "queue_skipped": "Пропускаю: {names}.",
    "queue_more": "и ещё {count}",
    "queue_read": "{number} из {count}: {line}",
    "queue_again": "После прерывания неизвестно, что стало с {name}, поэтому читаю снова.",
    "queue_next": "Дальше: {name} ({number} из {count}).",
    "queue_next_report": "Дальше: отчёт, {path}.",
    "queue_done": "Готово: прочитано файлов в {folder}: {count} из {total}. Отчёт лежит в {path}.",
    "queue_not_written": "Прочитано файлов в {folder}: {count} из {total}, но отчёт {path} не записан: {reason}",
    "queue_no_writing": "Прочитано файлов в {folder}: {count} из {total}. Записать отчёт мне нечем, поэтому он здесь.",
    "file_line": "{name}: {first} (строк: {lines}, слов: {words})",
    "file_part": "{name}: {first} (длиннее показанного; в показанном строк: {lines}, слов: {words})",
    "file_unread": "{name} не прочитан: {reason}",
    "file_blank": "пусто",
    "report_title": "Отчёт о папке {folder}",
    "report_foot": "Написано репетицией VibeOS по правилу: первый заголовок или первая строка файла, число строк и слов.",
    "status_queue": "В работе: {folder}, прочитано файлов: {count} из {total}. Дальше: {name}.",
    "status_paused": "Ждёт: {folder}, прочитано файлов: {count} из {total}. Скажите «продолжай», и я продолжу: {name}.",
    "status_idle": "Сейчас ничего не делается.",
    "the_list": "список файлов",
    "the_report": "отчёт",
    "stopped": "Остановлено.",
    "nothing_to_go_on_with": "Продолжать нечего. Назовите папку: обработай папку ИМЯ",
    "going_on": "Продолжаю с того же места.",
    "saved": "Сохранено в {store}: {content}",
    "not_saved": "Не сохранено. Инструмент памяти ответил: {reason}",
    "forgotten": "Забыто. Удалено из {store}: {content}",
    "not_forgotten": "Ничего не удалено. Инструмент памяти ответил: {reason}",
    "nothing_to_forget": "В моей памяти нет записи об этом: {about}",
    "which_to_forget": "Об этом говорят несколько записей. Какая из них?\n{entries}",
    "from_memory": "Из моей памяти ({store}): {entries}",
    "from_here": "В этом разговоре вы сказали: «{text}»",
    "from_session": "Из сеанса {session}, сообщение {number}, {time}, {author}:\n«{text}»",
    "not_known": "Я не знаю. Ни в моей памяти, ни в прежних сеансах об этом ничего нет.",
    "not_found": "Об этом ничего не нашлось ни в прежних сеансах, ни в моей памяти.",
    "search_failed": "Поиск не удался: {reason}",
    "ran": "Команда вывела:\n{output}",
    "asked": "Ваш ответ: {answer}",
    "not_answered": "Вопрос задан. {answer}",
    "person": "вы",
    "agent": "я",
    "program": "программа",
    "cut": "[… обрезано]",
}

_ZH = {
    "introduction": "（这里是排练：按固定规则做的演示，不是语言模型。它背后的工具、记忆和记录都是真的。）",
    "what_i_am": (
        "我是 VibeOS 的排练。我只按一张规则表行事，只懂几种句子：\n"
        "- 把文件夹 notes 里的文件处理一遍\n"
        "- 记住，我最喜欢的编辑器是 Helix；忘记编辑器\n"
        "- 我最喜欢的编辑器是什么？你知道 Helix 吗？\n"
        "- 我们关于数据库决定了什么？\n"
        "- 运行 ls -l；问我喜欢什么颜色\n"
        "- 进度、停、继续\n"
        "您说的话照样在记录里。其他事情请配置真正的模型：vibeos config set model.name openai:MODEL"
    ),
    "no_tool": "这里做不到：这次对话没有给我这个工具（{tool}）。",
    "information": "已作为信息记下：{text} 只有您自己输入的才是给我的请求。",
    "queue_listing": "我看看 {folder} 里有什么。",
    "queue_unlistable": "无法列出 {folder}：{reason}",
    "queue_empty": "{folder} 里没有可读的文件，没有事情可做。",
    "queue_found": "{folder} 里有 {count} 个文件要读。",
    "queue_skipped": "跳过：{names}。",
    "queue_more": "以及另外 {count} 个",
    "queue_read": "第 {number} 个，共 {count} 个：{line}",
    "queue_again": "中断之后不知道 {name} 怎样了，所以重读一次。",
    "queue_next": "下一步：{name}（第 {number} 个，共 {count} 个）。",
    "queue_next_report": "下一步：报告 {path}。",
    "queue_done": "完成：{folder} 的 {total} 个文件已读 {count} 个。报告在 {path}。",
    "queue_not_written": "{folder} 的 {total} 个文件已读 {count} 个，但报告 {path} 没有写成：{reason}",
    "queue_no_writing": "{folder} 的 {total} 个文件已读 {count} 个。我没有写文件的工具，报告就在这里。",
    "file_line": "{name}：{first}（{lines} 行，{words} 个词）",
    "file_part": "{name}：{first}（比看到的长；看到的部分 {lines} 行，{words} 个词）",
    "file_unread": "{name} 读不了：{reason}",
    "file_blank": "空",
    "report_title": "{folder} 的报告",
    "report_foot": "由 VibeOS 的排练按规则写成：每个文件的第一个标题或第一行、行数和词数。",
    "status_queue": "进行中：{folder}，{total} 个文件已读 {count} 个。下一步：{name}。",
    "status_paused": "等待中：{folder}，{total} 个文件已读 {count} 个。说“继续”，我就接着做 {name}。",
    "status_idle": "现在没有在做的事。",
    "the_list": "文件列表",
    "the_report": "报告",
    "stopped": "已停下。",
    "nothing_to_go_on_with": "没有可以继续的事。请给我一个文件夹：处理文件夹 名称",
    "going_on": "我从停下的地方继续。",
    "saved": "已保存到 {store}：{content}",
    "not_saved": "没有保存。记忆工具说：{reason}",
    "forgotten": "已忘记。从 {store} 删除：{content}",
    "not_forgotten": "什么都没有删除。记忆工具说：{reason}",
    "nothing_to_forget": "我的记忆里没有这方面的条目：{about}",
    "which_to_forget": "有几个条目与此有关。您指的是哪一个？\n{entries}",
    "from_memory": "来自我的记忆（{store}）：{entries}",
    "from_here": "您在这次对话里说过：“{text}”",
    "from_session": "来自会话 {session}，消息 {number}，{time}，{author}：\n“{text}”",
    "not_known": "我不知道。我的记忆和以前的会话里都没有提到。",
    "not_found": "没有找到，以前的会话和我的记忆里都没有。",
    "search_failed": "无法搜索：{reason}",
    "ran": "命令输出：\n{output}",
    "asked": "您的回答：{answer}",
    "not_answered": "问题已提出。{answer}",
    "person": "您",
    "agent": "我",
    "program": "程序",
    "cut": "[……已截断]",
}

TEXTS = {"en": _EN, "ru": _RU, "zh": _ZH}


def say(language: str, key: str, /, **values: object) -> str:
    """The text of this key in this language, with its values."""
    return TEXTS[language][key].format(**values)


def shortened(text: str, language: str, limit: int = QUOTE_CHARACTERS) -> str:
    """The text up to a marked cut."""
    return text if len(text) <= limit else f"{text[:limit]} {say(language, 'cut')}"
