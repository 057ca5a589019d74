"""The rehearsal as a model: what every `Model` promises, and that everything follows from the request."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehearsal.talking import Talking, files, spec
from vibeos.agent.acting import STOPPED
from vibeos.agent.person import Nobody
from vibeos.agent.tools.ask import AskTool
from vibeos.memory.checkpoint.context import INTERRUPTED
from vibeos.ports.models.messages import dump_response, load_response, user_request
from vibeos.ports.models.model import Request
from vibeos.ports.models.plain import plain_response
from vibeos.ports.models.rehearsal import RehearsalModel
from vibeos.ports.models.rehearsal.model import pieces
from vibeos.ports.models.rehearsal.words import TEXTS
from vibeos.ports.models.reply import Finish
from vibeos.ports.models.route import parse_route
from vibeos.ports.models.tools import ToolSpec, is_legal_tool_name
from vibeos.record import open_record
from vibeos.values.envelopes import Envelope
from vibeos.values.errors import InvalidRequestError
from vibeos.values.sizes import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vibeos.agent.person import Question
    from vibeos.ports.models.reply import Reply
    from vibeos.record import Record

NO_TOOLS: tuple[ToolSpec, ...] = ()


class Heard:
    """What an answer was written in."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def wrote(self, piece: str) -> None:
        self.pieces.append(piece)

    def starts_again(self, reason: str) -> None:
        raise AssertionError(reason)


def ask(text: str, heard: Heard | None = None) -> Reply:
    request = Request("system", NO_TOOLS, [user_request(text)])
    return asyncio.run(RehearsalModel(parse_route("rehearsal")).ask(request, heard or Heard()))


class Answering:
    """A person who is there and says this."""

    is_present = True

    def __init__(self, answer: str | None) -> None:
        self.asked: list[str] = []
        self._answer = answer

    async def ask(self, question: Question) -> str | None:
        self.asked.append(question.text)
        return self._answer


@pytest.fixture
def talking(tmp_path: Path) -> Talking:
    return Talking(tmp_path).offer_hands()


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(tmp_path / "state.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("text", "language"), [("hello", "en"), ("Привет!", "ru"), ("你好", "zh"), ("¿Qué tal?", "en")]
)
def test_the_first_answer_says_what_it_is_in_the_persons_language(text: str, language: str) -> None:
    answer = ask(text).text
    assert answer.startswith(TEXTS[language]["introduction"])


def test_it_introduces_itself_once_and_also_before_the_first_last_word(
    talking: Talking, tmp_path: Path
) -> None:
    files(tmp_path, 1)
    introduction = TEXTS["en"]["introduction"]
    talking.say("work through the folder notes")
    first = talking.ask()
    assert first.text.startswith(introduction)
    talking.act(first)
    assert introduction not in talking.ask().text
    talking.messages.pop()
    assert talking.turn().startswith(introduction)
    assert introduction not in talking.turn("hello")


def test_a_reply_is_dated_by_no_clock_and_names_its_model_and_sizes() -> None:
    reply = ask("hello")
    assert reply.response.model_name == "rehearsal"
    assert reply.response.timestamp.year == 1970
    assert (reply.finish, reply.response.finish_reason) == (Finish.FINISHED, "stop")
    assert reply.usage.output_tokens == estimate_tokens(reply.text)
    assert reply.usage.input_tokens >= estimate_tokens("systemhello")
    assert reply.response.usage.output_tokens == reply.usage.output_tokens
    assert load_response(dump_response(reply.response)) == reply.response


def test_an_answer_is_written_in_pieces_that_are_the_answer() -> None:
    heard = Heard()
    reply = ask("hello", heard)
    assert "".join(heard.pieces) == reply.text
    assert len(heard.pieces) > 10


@given(st.text())
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


def test_an_invalid_request_is_refused_as_every_model_refuses_it() -> None:
    request = Request("system", NO_TOOLS, [load_response(plain_response("I begin."))])
    with pytest.raises(InvalidRequestError):
        asyncio.run(RehearsalModel(parse_route("rehearsal")).ask(request))


def test_cancelling_it_ends_the_request() -> None:
    heard = Heard()

    async def interrupt() -> bool:
        request = Request("system", NO_TOOLS, [user_request("hello")])
        task = asyncio.ensure_future(RehearsalModel(parse_route("rehearsal")).ask(request, heard))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(interrupt())
    assert 0 < len("".join(heard.pieces)) < len(ask("hello").text)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("remember that I live in Kazan", "memory"),
        ("what did we decide about backups?", "session_search"),
        ("run ls", "bash"),
        ("ask me which colour I like", "ask"),
        ("work through the folder notes", "read"),
    ],
)
def test_without_the_tool_it_says_so_and_calls_nothing(text: str, tool: str) -> None:
    reply = ask(text)
    assert not reply.calls
    assert f"no tool for it ({tool})" in reply.text


def test_a_tool_that_takes_other_arguments_is_not_called() -> None:
    strange = spec("bash", "command", "reason")
    request = Request("system", (strange,), [user_request("run ls")])
    reply = asyncio.run(RehearsalModel(parse_route("rehearsal")).ask(request))
    assert not reply.calls


@pytest.mark.parametrize(
    ("answer", "said"), [("blue", "Your answer: blue"), (None, "I asked. The person did not answer.")]
)
def test_a_question_to_the_person_is_asked_and_its_answer_repeated(
    talking: Talking, record: Record, answer: str | None, said: str
) -> None:
    person = Answering(answer)
    talking.offer_tool(AskTool(record, record.sessions.start(source="cli").id, person))
    assert said in talking.turn("ask me which colour I like")
    assert person.asked == ["Which colour I like?"]


def test_an_answer_that_comes_later_is_understood(talking: Talking, record: Record) -> None:
    session = record.sessions.start(source="cli")
    talking.offer_tool(AskTool(record, session.id, Nobody()))
    assert "stays open" in talking.turn("спроси меня, какой цвет мне нравится")
    (left,) = record.questions.open(session.id)
    waiting = record.questions.answer(left.id, Envelope.person("cli"), "синий")
    assert talking.turn(waiting.envelope.present("синий")) == "Ваш ответ: синий"


def test_a_command_is_run_and_its_output_shown(talking: Talking) -> None:
    talking.offer(spec("bash", "command"), lambda run: f"[exit status 0, 0.0 s]\nran {run['command']}\n")
    assert "```\n[exit status 0, 0.0 s]\nran ls notes\n```" in talking.turn("run ls notes")


def test_a_conversation_that_another_model_began_is_taken_up(talking: Talking) -> None:
    talking.messages += [user_request("hello"), load_response(plain_response("Hi, I am another model."))]
    assert "Nothing is under way." in talking.turn("status")


SAYINGS = (
    "hello",
    "work through the folder notes",
    "обработай папку more",
    "stop",
    "go on",
    "status",
    "remember that my cat is called Ginger",
    "forget about the cat",
    "what is my cat called?",
    "我们关于数据库决定了什么？",
    "run ls notes",
    "ask me which colour I like",
    '[Harness: Watch w "x"]\nrun ls notes',
    "",
)
ENDS = ("done", "done", "done", INTERRUPTED, json.dumps({"success": False, "error": STOPPED}))


def memory_tool() -> tuple[ToolSpec, Any]:
    tool = spec(
        "memory", "target", action={"type": "string"}, content={"type": "string"}, old_text={"type": "string"}
    )
    kept: list[str] = []

    def do(arguments: Mapping[str, Any]) -> str:
        if arguments["action"] == "add":
            kept.append(arguments["content"])
        elif arguments["old_text"] in kept:
            kept.remove(arguments["old_text"])
        return json.dumps(
            {"success": True, "message": "Done.", "target": arguments["target"], "current_entries": kept}
        )

    return tool, do


@given(script=st.lists(st.tuples(st.sampled_from(SAYINGS), st.sampled_from(ENDS)), min_size=1, max_size=12))
def test_whatever_is_said_and_interrupted_every_request_is_valid_and_answered_alike_again(
    tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    files(folder, 2)
    (folder / "more").mkdir()
    (folder / "more" / "x.txt").write_text("one line\n")
    talking = Talking(folder).offer_hands()
    talking.offer(spec("ask", "question"), lambda _asked: "The person answered: blue")
    talking.offer(spec("bash", "command"), lambda _run: "[exit status 0, 0.0 s]\n(no output)")
    talking.offer(
        spec("session_search", "query"), lambda _asked: json.dumps({"success": True, "results": []})
    )
    talking.offer(*memory_tool())
    ids: list[str] = []
    for text, end in script:
        if text:
            talking.say(text)
        if not talking.waits:
            continue
        again = asyncio.run(RehearsalModel(parse_route("rehearsal")).ask(talking.request()))
        reply = talking.ask()
        assert dump_response(again.response) == dump_response(reply.response)
        assert reply.text or reply.calls
        for call in reply.calls:
            check_call(talking, call.name, call.parsed())
            ids.append(call.call_id)
        talking.spoil = lambda _call, end=end: None if end == "done" else end  # type: ignore[misc]
        talking.act(reply)
    assert len(ids) == len(set(ids))
    assert all(is_legal_tool_name(one) and len(one) <= 40 for one in ids)
    talking.spoil = lambda _call: None
    assert talking.turn("hello")  # and it comes to an end


def check_call(talking: Talking, name: str, arguments: dict[str, Any] | None) -> None:
    schema = talking.tools[name][0].parameters_json_schema
    assert arguments is not None
    assert set(arguments) <= set(schema["properties"])
    assert set(schema["required"]) <= set(arguments)
    assert all(isinstance(value, str) for value in arguments.values())


def test_every_text_stands_in_every_language_with_the_same_values() -> None:
    import string

    def values(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for language, texts in TEXTS.items():
        assert texts.keys() == TEXTS["en"].keys(), language
        assert {key: values(text) for key, text in texts.items()} == {
            key: values(text) for key, text in TEXTS["en"].items()
        }
