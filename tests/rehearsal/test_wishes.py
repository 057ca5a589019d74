"""What sentences mean to the rehearsal: the table of rules, in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vibeos.ports.models.rehearsal.rules import clean_path, is_about_the_person, wish_of
from vibeos.ports.models.rehearsal.sentences import Kind

WORK = [
    ("work through the folder notes", "notes", "en"),
    ("Please work your way through the folder 'my notes' and write a report.", "my notes", "en"),
    ("process all files in the folder notes/2024 one by one", "notes/2024", "en"),
    ("go through the notes folder", "notes", "en"),
    ("read through all the files in notes", "notes", "en"),
    ("Could you process the files in ./notes?", "./notes", "en"),
    ("work through notes", "notes", "en"),
    ("work through the folder .", ".", "en"),
    ("work through the directory ../docs/", "../docs", "en"),
    ("work through the folder my project notes", "my project notes", "en"),
    ("work through the folder заметки", "заметки", "en"),
    ("обработай папку notes", "notes", "ru"),
    ("Пожалуйста, обработай все файлы в папке «мои заметки».", "мои заметки", "ru"),
    ("пройдись по папке notes по очереди", "notes", "ru"),
    ("прочитай файлы в notes и напиши отчёт", "notes", "ru"),
    ("арбайтен по notes", "notes", "ru"),
    ("把文件夹 notes 里的文件处理一遍", "notes", "zh"),
    ("请把文件夹「我的笔记」里的所有文件依次处理一遍。", "我的笔记", "zh"),
    ("处理文件夹 notes", "notes", "zh"),
    ("处理一下 notes 文件夹", "notes", "zh"),
    ("把 notes 里的文件读一遍", "notes", "zh"),
    ("依次处理文件夹 notes 中的文件", "notes", "zh"),
]

OTHERS = [
    ("remember that my favourite editor is Helix", Kind.REMEMBER, "my favourite editor is Helix", "en"),
    ("Also remember: we deploy on Tuesdays.", Kind.REMEMBER, "we deploy on Tuesdays", "en"),
    ("don't forget that the tests need Redis", Kind.REMEMBER, "the tests need Redis", "en"),
    ("запомни, что я живу в Казани", Kind.REMEMBER, "я живу в Казани", "ru"),
    ("Запомни: сервер стоит под столом.", Kind.REMEMBER, "сервер стоит под столом", "ru"),
    ("记住，我最喜欢的编辑器是 Helix。", Kind.REMEMBER, "我最喜欢的编辑器是 Helix", "zh"),
    ("请记住:部署在星期二", Kind.REMEMBER, "部署在星期二", "zh"),
    ("forget what I said about the editor", Kind.FORGET, "the editor", "en"),
    ("forget that I live in Kazan.", Kind.FORGET, "I live in Kazan", "en"),
    ("забудь про редактор", Kind.FORGET, "редактор", "ru"),
    ("забудь, что я живу в Казани", Kind.FORGET, "я живу в Казани", "ru"),
    ("忘记我的编辑器", Kind.FORGET, "我的编辑器", "zh"),
    ("what do you know about Helix?", Kind.KNOW, "Helix", "en"),
    ("what is my favourite editor?", Kind.KNOW, "my favourite editor", "en"),
    ("What's my name?", Kind.KNOW, "my name", "en"),
    ("что ты знаешь о Helix?", Kind.KNOW, "Helix", "ru"),
    ("какой у меня любимый редактор?", Kind.KNOW, "у меня любимый редактор", "ru"),
    ("как меня зовут?", Kind.KNOW, "как меня зовут", "ru"),
    ("你知道我的名字吗？", Kind.KNOW, "我的名字", "zh"),
    ("我最喜欢的编辑器是什么？", Kind.KNOW, "我最喜欢的编辑器是什么？", "zh"),
    ("我的名字是什么？", Kind.KNOW, "我的名字", "zh"),
    ("Which port does the server use?", Kind.KNOW, "Which port does the server use?", "en"),
    ("what did we decide about the database?", Kind.DECIDED, "the database", "en"),
    ("what did I say about backups", Kind.DECIDED, "backups", "en"),
    ("что мы решили о базе данных?", Kind.DECIDED, "базе данных", "ru"),
    ("我们关于数据库决定了什么？", Kind.DECIDED, "数据库", "zh"),
    ("run ls -l *.txt", Kind.RUN, "ls -l *.txt", "en"),
    ("run `make test`", Kind.RUN, "make test", "en"),
    ("выполни команду ls -l", Kind.RUN, "ls -l", "ru"),
    ("运行 ls -l", Kind.RUN, "ls -l", "zh"),
    ("ask me which colour I like", Kind.ASK, "which colour I like", "en"),
    ("спроси меня, какой цвет мне нравится", Kind.ASK, "какой цвет мне нравится", "ru"),
    ("问我喜欢什么颜色", Kind.ASK, "喜欢什么颜色", "zh"),
    ("stop", Kind.STOP, "", "en"),
    ("Стоп!", Kind.STOP, "", "ru"),
    ("停一下", Kind.STOP, "", "zh"),
    ("please go on", Kind.GO_ON, "", "en"),
    ("продолжай", Kind.GO_ON, "", "ru"),
    ("继续吧", Kind.GO_ON, "", "zh"),
    ("what is the status?", Kind.STATUS, "", "en"),
    ("статус", Kind.STATUS, "", "ru"),
    ("进度怎么样了？", Kind.STATUS, "", "zh"),
    ("hello", Kind.OTHER, "hello", "en"),
    ("Привет!", Kind.OTHER, "Привет!", "ru"),
    ("你好", Kind.OTHER, "你好", "zh"),
    ("who are you?", Kind.OTHER, "who are you?", "en"),
    ("process the folder", Kind.OTHER, "process the folder", "en"),
    ("go through it", Kind.OTHER, "go through it", "en"),
    ("write me a poem about folders", Kind.OTHER, "write me a poem about folders", "en"),
]


@pytest.mark.parametrize(("text", "folder", "language"), WORK)
def test_a_folder_to_work_through_is_understood(text: str, folder: str, language: str) -> None:
    wish = wish_of(text)
    assert (wish.kind, wish.about, wish.language) == (Kind.WORK, folder, language)


@pytest.mark.parametrize(("text", "kind", "about", "language"), OTHERS)
def test_each_other_sentence_has_its_kind(text: str, kind: Kind, about: str, language: str) -> None:
    wish = wish_of(text)
    assert (wish.kind, wish.about, wish.language) == (kind, about, language)


@pytest.mark.parametrize(
    ("statement", "is_theirs"),
    [
        ("I live in Kazan", True),
        ("my editor is Helix", True),
        ("call me Sam", True),
        ("the tests need Redis", False),
        ("we deploy on Tuesdays", False),
        ("я живу в Казани", True),
        ("моя кошка рыжая", True),
        ("сервер стоит под столом", False),
        ("我住在喀山", True),
        ("我们星期二部署", False),
        ("服务器在桌子下面", False),
    ],
)
def test_statements_about_the_person_are_told_from_others(statement: str, is_theirs: bool) -> None:
    assert is_about_the_person(statement) is is_theirs


@given(st.text(max_size=200))
def test_any_text_is_understood_as_something(text: str) -> None:
    wish = wish_of(text)
    assert wish.kind in Kind
    assert wish.language in {"en", "ru", "zh"}


@settings(max_examples=12)
@given(
    st.sampled_from(["remember that ", "work through the folder ", "what do you know about "]),
    st.integers(1, 9),
)
def test_long_runs_of_punctuation_cost_no_time(begin: str, size: int) -> None:
    assert wish_of(begin + "." * (size * 600) + "x").kind is not Kind.OTHER


@given(
    st.text(
        st.characters(exclude_characters="\"'`«»“”‘’「」『』《》./", exclude_categories=["Z", "C"]),
        min_size=1,
    )
)
def test_a_name_in_quotes_and_with_a_full_stop_is_the_name(name: str) -> None:
    assert clean_path(f"'{name}'") == clean_path(f"«{name}»") == clean_path(f"{name}.") == name
