"""`ScriptedModel`: a model that plays a script in this process, without HTTP.

    with ScriptedModel([reply("hello")]) as model:
        ...                       # give it to an agent
    # it fails here unless every step was used, nothing else was asked, and every request was valid

It plays the same steps as `StrictServer`; a fault becomes the error that a model over the network would raise. The
same steps and requests always make the same replies, byte for byte: nothing in them carries a clock. Usage is 0
unless a step gives it, so that a request costs no more than its check.
"""

from __future__ import annotations

from asyncio import sleep
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, NoReturn, Self

from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.usage import RequestUsage

from vibeos.ports.models.check import check_request
from vibeos.ports.models.messages import sendable
from vibeos.ports.models.model import Deaf, Request
from vibeos.ports.models.replies import reply_of
from vibeos.ports.models.reply import Usage
from vibeos.ports.models.route import Route, parse_route
from vibeos.testing.as_errors import as_error, broke_off, closed
from vibeos.testing.request_text import last_text
from vibeos.testing.script import Script
from vibeos.testing.steps import NO_FINISH, Answer, BadStream, Drop, Fault
from vibeos.testing.wire import pieces
from vibeos.values.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from pydantic_ai.messages import FinishReason, ModelResponsePart

    from vibeos.ports.models.model import Listener
    from vibeos.ports.models.reply import Reply
    from vibeos.testing.steps import Action, Playable

_NO_CLOCK = datetime(1970, 1, 1, tzinfo=UTC)
_WINDOW = 200_000
_DEAF = Deaf()
_FINISHES: dict[str, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_call",
    "tool_use": "tool_call",
    "content_filter": "content_filter",
    "refusal": "content_filter",
}


@dataclass(frozen=True, slots=True)
class ScriptedRequest(Request):
    """A request as the model got it, its messages copied into a list of their own, and which one it was, from 1."""

    number: int = 0

    @property
    def last_text(self) -> str:
        """The text of the last message, an input or results of tools."""
        return last_text(self.messages)

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools that the model was offered."""
        return [tool.name for tool in self.tools]


class ScriptedModel:
    """The model. `delay` is the time in seconds that each answer takes, beside what its step says.

    `strict` judges every request by the providers' rules. It asks once, as `NetworkModel` does; `Retrying` goes around
    it. Safe across threads and event loops.
    """

    def __init__(
        self,
        steps: Iterable[Playable] = (),
        *,
        route: Route | None = None,
        delay: float = 0,
        strict: bool = True,
    ) -> None:
        self.script = Script(steps)
        self._route = route or _default_route()
        self._delay = delay
        self._strict = strict
        self._requests: list[ScriptedRequest] = []
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.assert_used_up()

    @property
    def route(self) -> Route:
        """What it is called and what fits into it."""
        return self._route

    @property
    def requests(self) -> list[ScriptedRequest]:
        """Every request so far, the invalid ones too, in the order of their arrival."""
        with self._lock:
            return list(self._requests)

    def extend(self, steps: Iterable[Playable]) -> None:
        """Put steps at the end of the script."""
        self.script.extend(steps)

    def assert_used_up(self) -> None:
        """Fail unless every step was used, nothing else was asked, and every request was valid."""
        self.script.assert_used_up()

    async def ask(self, request: Request, listener: Listener = _DEAF) -> Reply:
        """Play the next step. Raises AssertionError, and keeps it, where the script says something else."""
        kept = self._keep(request)
        self._judge(kept)
        action, delay = self.script.play(kept)
        await sleep(self._delay + delay)
        return await self._perform(action, kept, listener)

    async def close(self) -> None:
        """Nothing is held."""

    def _keep(self, request: Request) -> ScriptedRequest:
        with self._lock:
            number = len(self._requests) + 1
            kept = ScriptedRequest(request.system, request.tools, list(request.messages), number)
            self._requests.append(kept)
        return kept

    def _judge(self, request: ScriptedRequest) -> None:
        if not self._strict:
            return
        try:
            check_request(request.messages, request.tools)
        except InvalidRequestError as error:
            self.script.note(f"request {request.number} is invalid: {error.message}")
            raise

    async def _perform(self, action: Action, request: ScriptedRequest, listener: Listener) -> Reply:
        match action:
            case Answer():
                await _write(action, listener, pieces(action.text))
                if action.finish == NO_FINISH:
                    raise broke_off(self._route)
                return _reply(action, request.number, self._route)
            case Fault():
                self._fail(action)
            case BadStream():
                await _write(action.answer, listener, _before_the_end(action))
                self._end_badly(action)
        raise closed(self._route) if action == Drop() else broke_off(self._route)

    def _end_badly(self, stream: BadStream) -> NoReturn:
        if stream.ending == "error":
            self._fail(stream.error or Fault(500))
        raise broke_off(self._route)

    def _fail(self, fault: Fault) -> NoReturn:
        if fault.code == "script_mismatch":
            raise AssertionError(fault.message)
        raise as_error(fault, self._route)


async def _write(answer: Answer, listener: Listener, written: Sequence[str]) -> None:
    for number, piece in enumerate(written):
        if number and answer.pause:
            await sleep(answer.pause)
        listener.wrote(piece)


def _before_the_end(stream: BadStream) -> Sequence[str]:
    """A stream's first event says only who speaks, so it counts but holds no text."""
    written = pieces(stream.answer.text)
    if stream.pieces is not None:
        return written[: max(0, stream.pieces - 1)]
    return written[: len(written) // 2] if stream.ending == "cut" else written


def _reply(answer: Answer, number: int, route: Route) -> Reply:
    given = answer.usage or {}
    usage = Usage(
        given.get("prompt_tokens", 0), given.get("completion_tokens", 0), given.get("cached_tokens", 0)
    )
    return reply_of(sendable(_response(answer, number, usage, route)))


def _response(answer: Answer, number: int, usage: Usage, route: Route) -> ModelResponse:
    return ModelResponse(
        parts=_parts(answer, number),
        usage=RequestUsage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens,
        ),
        model_name=route.model,
        timestamp=_NO_CLOCK,
        finish_reason=_FINISHES.get(answer.finish or ("tool_calls" if answer.calls else "stop")),
    )


def _parts(answer: Answer, number: int) -> Sequence[ModelResponsePart]:
    parts: list[ModelResponsePart] = []
    if answer.reasoning:
        parts.append(ThinkingPart(answer.reasoning))
    if answer.text:
        parts.append(TextPart(answer.text))
    for index, one in enumerate(answer.calls, 1):
        parts.append(ToolCallPart(one.name, one.arguments, one.call_id or f"call_{number}_{index}"))
    return parts


def _default_route() -> Route:
    route = parse_route("openai:scripted-model", base_url="http://127.0.0.1:9/v1", context_window=_WINDOW)
    return replace(route, name="scripted:scripted-model", provider="scripted")
