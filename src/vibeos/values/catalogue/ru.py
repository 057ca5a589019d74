"""Russian."""

GROUP_MARK = " "

TEXTS = {
    "snapshot.memory": "ПАМЯТЬ (ваши личные заметки)",
    "snapshot.user": "ПРОФИЛЬ ПОЛЬЗОВАТЕЛЯ (кто ваш пользователь)",
    "snapshot.usage": "[{percent}% — {used}/{limit} символов]",
    "snapshot.withheld": "[Запись {number} файла {file} не показана: не прошла проверку безопасности ({rule}).]",
    "snapshot.unreadable": "[Файл {file} не удалось прочитать, его нет в этом промпте. Он не пуст: не пишите так, будто он пуст.]",
    "snapshot.over": "[Ещё записей файла {file} не показано: {count}. Файл намного больше лимита.]",
    "notice.withheld": "Запись {number} файла {file} скрыта от модели: {reason}. Посмотрите её командой `vibeos memory show`, затем замените или удалите.",
    "notice.unreadable": "Файл {file} скрыт от модели: {reason}",
    "notice.over": "В файле {file} символов: {used}, это намного больше лимита {limit}; записей скрыто от модели: {count}. Перенесите или удалите лишние.",
    "memory.added": "Запись добавлена.",
    "memory.duplicate": "Такая запись уже есть: дубликат не добавлен.",
    "memory.replaced": "Запись заменена.",
    "memory.merged": "Запись заменена; она совпала с другой записью, оставлена одна из двух.",
    "memory.removed": "Запись удалена.",
    "memory.batch": "Применены все операции: {count}.",
    "memory.not_applied": "Ничего из этого пакета не применено; операция {number} из {count} не прошла: {error}",
    "memory.overflow_add": (
        "Хранилище занято на {used}/{limit} символов. С этой записью (символов: {size}) станет {would}. Освободите "
        "место сейчас: слейте похожие записи в более короткие через 'replace' или удалите устаревшее и наименее важное через "
        "'remove' (см. current_entries), затем добавьте снова — всё в этом же обороте."
    ),
    "memory.overflow": (
        "Хранилище занято на {used}/{limit} символов. После этого изменения станет {would}. Сократите новый текст или "
        "освободите место через 'replace' и 'remove' (см. current_entries), затем повторите в этом же обороте."
    ),
    "memory.empty_content": "Поле 'content' пусто. Чтобы удалить запись, используйте 'remove' с old_text.",
    "memory.empty_old_text": "Поле 'old_text' пусто. Укажите короткую часть записи, которой нет в других записях.",
    "memory.no_match": "Ни одна запись не содержит {old_text}.",
    "memory.ambiguous": "Записей, содержащих {old_text}: {count} — {previews}. Укажите более длинную часть, которая есть только в одной.",
    "memory.delimiter": "В записи не может быть строки из одного знака '§': такая строка разделяет записи. Уберите её или добавьте две записи.",
    "memory.ill_formed": "В тексте есть символ NUL или половина суррогатной пары, их нельзя сохранить в файле. Отправьте текст без них.",
    "memory.blocked": "Не записано: текст не прошёл проверку безопасности ({reason}). В памяти место только простым фактам.",
    "memory.document": (
        "Запись, содержащая {old_text}, состоит из строк: {lines} и похожа на документ, написанный вручную, поэтому её часть "
        "не заменяет целое. Ничего не изменено; копия лежит в {backup}. Передайте в old_text всю запись целиком или попросите "
        "человека выполнить `vibeos memory split`: команда сделает из неё отдельные записи."
    ),
    "memory.unreadable": "{reason} Ничего не записано; хранилище нельзя считать пустым.",
    "memory.not_text": "Файл {file} — не текст в UTF-8. Ничего не записано; копия лежит в {backup}. Сохраните файл в UTF-8 и повторите.",
    "memory.disabled": "Память выключена (memory.memory_enabled: false). Ничего не записано.",
    "memory.user_disabled": "Профиль пользователя выключен (memory.user_profile_enabled: false). Ничего не записано.",
    "memory.needs_approval": (
        "Не записано: включено memory.write_approval, а одобрить запись модели отсюда пока нельзя. Человек может внести "
        "изменение командой `vibeos memory add|replace|remove` или выключить одобрение."
    ),
    "memory.final": "Неудач в этом обороте: {count}. Остановитесь: больше не вызывайте memory в этом обороте и ответьте человеку.",
    "memory.unknown_action": "Неизвестное действие {action}. Есть 'add', 'replace' и 'remove'. Действия 'read' нет: память стоит в вашем промпте.",
    "memory.unknown_target": "Неизвестная цель {target}. Есть 'memory' и 'user'.",
    "memory.bad_arguments": "Вызов непонятен: {problem}. Передайте action, target, content и old_text текстом или список 'operations'.",
    "memory.no_operations": "Список 'operations' пуст. Передайте хотя бы одну операцию.",
    "memory.overflow_add.person": "Занято {used}/{limit} символов. С этой записью (символов: {size}) станет {would}. Сократите её или сначала освободите место: `vibeos memory show`, затем `replace` или `remove`.",
    "memory.overflow.person": "Занято {used}/{limit} символов. После этого изменения станет {would}. Сократите новый текст или сначала освободите место: `vibeos memory show`, затем `replace` или `remove`.",
    "memory.no_match.person": "Ни одна запись не содержит {old_text}. Список: `vibeos memory show`.",
    "memory.empty_content.person": "Текст записи пуст. Удалить запись: `vibeos memory remove`.",
    "memory.empty_old_text.person": "Укажите часть нужной записи; список: `vibeos memory show`.",
    "status.store": "{percent}% — {used}/{limit} символов, записей: {count}",
    "status.after": "{file}: {used}/{limit} символов",
    "memory.gate_failed": "Не записано: проверка одобрения не сработала ({reason}).",
}
