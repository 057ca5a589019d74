"""A real small model in this process. Needs the extra and a model's file; `make test-local` fetches both."""

from __future__ import annotations

import asyncio
import os
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request as WebRequest
from urllib.request import urlopen

import pytest

from vibeos.ports.models.local import LocalModel
from vibeos.ports.models.messages import user_request
from vibeos.ports.models.model import Request
from vibeos.ports.models.reply import Finish
from vibeos.ports.models.route import parse_route
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import ContextOverflowError, ModelRequestError

FILE = os.environ.get("VIBEOS_TEST_GGUF", "")
pytestmark = pytest.mark.skipif(
    not FILE or find_spec("xllamacpp") is None,
    reason="no small model here (the extra and VIBEOS_TEST_GGUF): run `make test-local`",
)

READ = ToolSpec(
    "read",
    "Reads a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


class Heard:
    """What an answer was written in."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def wrote(self, piece: str) -> None:
        self.pieces.append(piece)

    def starts_again(self, reason: str) -> None:
        raise AssertionError(reason)


def question(text: str, *tools: ToolSpec) -> Request:
    return Request("You answer briefly.", tools, [user_request(text)])


def test_it_answers_in_pieces_is_shown_its_tools_and_answers_again_after_it_was_closed() -> None:
    model = LocalModel(parse_route(f"local:{FILE}", max_output_tokens=24))

    async def talk() -> None:
        heard = Heard()
        plain = await model.ask(question("What is the capital of France?"), heard)
        assert plain.text == "".join(heard.pieces)
        assert len(heard.pieces) > 1
        assert plain.finish in {Finish.FINISHED, Finish.TRUNCATED}
        with_tools = await model.ask(question("What is the capital of France?", READ))
        assert with_tools.usage.input_tokens > plain.usage.input_tokens + 20
        await model.close()
        assert (await model.ask(question("Say yes."))).text
        await model.close()

    asyncio.run(talk())


def test_a_second_event_loop_asks_the_same_loaded_file() -> None:
    model = LocalModel(parse_route(f"local:{FILE}", max_output_tokens=8))
    try:
        for text in ("Say yes.", "Say no."):
            assert asyncio.run(model.ask(question(text))).text
        assert model._served is not None
    finally:
        asyncio.run(model.close())


def test_what_is_too_long_and_what_cannot_be_loaded_are_errors_of_their_kind(tmp_path: Path) -> None:
    model = LocalModel(parse_route(f"local:{FILE}", context_window=512))

    async def ask_too_much() -> None:
        try:
            await model.ask(question("word " * 1_000))
        finally:
            await model.close()

    with pytest.raises(ContextOverflowError):
        asyncio.run(ask_too_much())
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(Path(FILE).read_bytes()[:20_000_000])
    with pytest.raises(ModelRequestError, match="could not be loaded"):
        asyncio.run(LocalModel(parse_route(f"local:{broken}")).ask(question("Hello?")))


def test_nobody_else_on_this_machine_may_ask_it() -> None:
    model = LocalModel(parse_route(f"local:{FILE}", max_output_tokens=4))

    async def look() -> int:
        await model.ask(question("Say yes."))
        assert model._served is not None
        address = model._served[0].listening_address
        assert address.startswith("http://127.0.0.1:")
        try:
            await asyncio.to_thread(urlopen, WebRequest(f"{address}/v1/chat/completions", b"{}"))
        except HTTPError as error:
            with error:
                return error.code
        finally:
            await model.close()
        return 200

    assert asyncio.run(look()) == 401
