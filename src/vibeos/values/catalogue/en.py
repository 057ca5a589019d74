"""English."""

GROUP_MARK = ","

TEXTS = {
    "snapshot.memory": "MEMORY (your personal notes)",
    "snapshot.user": "USER PROFILE (who the user is)",
    "snapshot.usage": "[{percent}% — {used}/{limit} chars]",
    "snapshot.withheld": "[Entry {number} of {file} is withheld: it failed the safety scan ({rule}).]",
    "snapshot.unreadable": "[{file} could not be read and is left out of this prompt. It is not empty: do not write as if it were.]",
    "snapshot.over": "[{count} more entries of {file} are not shown: the file is far over its limit.]",
    "notice.withheld": "Entry {number} of {file} is withheld from the model: {reason}. See it with `vibeos memory show`, then replace or remove it.",
    "notice.unreadable": "{file} is withheld from the model: {reason}",
    "notice.over": "{file} holds {used} characters, far over its limit of {limit}; {count} entries are withheld from the model. Move or remove some.",
    "memory.added": "Entry added.",
    "memory.duplicate": "This entry already exists: duplicate not added.",
    "memory.replaced": "Entry replaced.",
    "memory.merged": "Entry replaced; it equalled another entry, so one of the two was kept.",
    "memory.removed": "Entry removed.",
    "memory.batch": "All {count} operations applied.",
    "memory.not_applied": "Nothing of this batch was applied; operation {number} of {count} failed: {error}",
    "memory.overflow_add": (
        "The store is at {used}/{limit} characters. Adding this entry ({size} characters) would take it to {would}. "
        "Make room now: use 'replace' to merge entries that overlap into shorter ones, or 'remove' what is out of "
        "date or matters least (see current_entries), then add again, all in this turn."
    ),
    "memory.overflow": (
        "The store is at {used}/{limit} characters. This change would take it to {would}. Shorten the new text, or "
        "use 'replace' and 'remove' on other entries (see current_entries) to make room, then try again in this turn."
    ),
    "memory.empty_content": "'content' is empty. To delete an entry use 'remove' with old_text.",
    "memory.empty_old_text": "'old_text' is empty. Give a short part of the entry that occurs in no other entry.",
    "memory.no_match": "No entry contains {old_text}.",
    "memory.ambiguous": "{count} entries contain {old_text}: {previews}. Give a longer part that only one of them has.",
    "memory.delimiter": "An entry may not contain a line that holds only '§': that line separates entries. Leave it out, or add two entries.",
    "memory.ill_formed": "The text holds a NUL character or half of a surrogate pair, which no file can keep. Send it without.",
    "memory.blocked": "Not written: the text failed the safety scan ({reason}). Only plain facts belong in memory.",
    "memory.document": (
        "The entry that contains {old_text} has {lines} lines and looks like a document written by hand, so a part of it "
        "does not stand for the whole. Nothing was changed; a copy is at {backup}. Give the whole entry as old_text, or "
        "ask the person to run `vibeos memory split`, which makes separate entries of it."
    ),
    "memory.unreadable": "{reason} Nothing was written; the store must not be taken for empty.",
    "memory.not_text": "{file} is not valid UTF-8 text. Nothing was written; a copy is at {backup}. Save the file as UTF-8, then try again.",
    "memory.disabled": "Memory is off (memory.memory_enabled: false). Nothing was written.",
    "memory.user_disabled": "The user profile is off (memory.user_profile_enabled: false). Nothing was written.",
    "memory.needs_approval": (
        "Not written: memory.write_approval is on, and a model's writes cannot be approved from here yet. The person can "
        "make the change with `vibeos memory add|replace|remove`, or turn approval off."
    ),
    "memory.final": "This failed {count} times in this turn. Stop: make no more memory calls in this turn, and answer the person now.",
    "memory.unknown_action": "Unknown action {action}. Use 'add', 'replace' or 'remove'. There is no 'read': memory stands in your prompt.",
    "memory.unknown_target": "Unknown target {target}. Use 'memory' or 'user'.",
    "memory.bad_arguments": "The call cannot be understood: {problem}. Give action, target, content and old_text as text, or a list 'operations'.",
    "memory.no_operations": "'operations' is empty. Give at least one operation.",
    "memory.overflow_add.person": "{used}/{limit} characters are used. With this entry ({size} characters) it would be {would}. Shorten it, or make room first: `vibeos memory show`, then `replace` or `remove`.",
    "memory.overflow.person": "{used}/{limit} characters are used. After this change it would be {would}. Shorten the new text, or make room first: `vibeos memory show`, then `replace` or `remove`.",
    "memory.no_match.person": "No entry contains {old_text}. `vibeos memory show` lists them.",
    "memory.empty_content.person": "The text of the entry is empty. To delete an entry: `vibeos memory remove`.",
    "memory.empty_old_text.person": "Give a part of the entry that is meant; `vibeos memory show` lists them.",
    "status.store": "{percent}% — {used}/{limit} characters, entries: {count}",
    "status.after": "{file}: {used}/{limit} characters",
    "memory.gate_failed": "Not written: the approval gate failed ({reason}).",
}
