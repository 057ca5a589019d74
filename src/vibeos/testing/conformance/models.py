"""What every `Model` must do, whatever it talks to. The steps of a script say what it meets."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, get_args

import pytest

from vibeos.ports.models.messages import dump_response, load_response, outcomes_request, user_request
from vibeos.ports.models.model import Request
from vibeos.ports.models.reply import Finish
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.testing.bad_streams import broken, half_call, stream_error, unfinished
from vibeos.testing.overflows import OverflowForm, overflow
from vibeos.testing.steps import call, drop, fault, reply
from vibeos.values.errors import (
    ContextOverflowError,
    InvalidRequestError,
    ModelRequestError,
    ModelUnavailableError,
    StreamBrokenError,
    VibeOSError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from vibeos.ports.models.model import Listener, Model
    from vibeos.ports.models.reply import Reply
    from vibeos.testing.steps import Playable, Step

_LONG = "a text of some length, so that it has pieces: ünïcode 你好"
_TOOL = ToolSpec("memory", "Keep a note.", {"type": "object", "properties": {"text": {"type": "string"}}})
_SLOW = 60.0
_SOON = 20.0


class Ears:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.reasons: list[str] = []

    def wrote(self, piece: str) -> None:
        """Keep the piece."""
        self.pieces.append(piece)

    def starts_again(self, reason: str) -> None:
        """Forget what was heard so far, and keep the reason."""
        self.pieces.clear()
        self.reasons.append(reason)

    @property
    def text(self) -> str:
        """All that still counts."""
        return "".join(self.pieces)


class ModelConformance:
    """Inherit from it and say how a model is opened that asks once, without a retry."""

    def open_model(self, steps: Iterable[Playable]) -> AbstractContextManager[Model]:
        """A model that meets these steps; on leaving, it is an error when steps are left."""
        raise NotImplementedError

    def ask(self, model: Model, listener: Listener | None = None, *messages: Any) -> Reply:
        """One question, and the connections closed behind it."""

        async def once() -> Reply:
            try:
                return await model.ask(_request(*messages), listener or Ears())
            finally:
                await model.close()

        return asyncio.run(once())

    def test_the_pieces_that_are_heard_are_the_answer(self) -> None:
        ears = Ears()
        with self.open_model([_LONG]) as model:
            made = self.ask(model, ears)
        assert (made.text, made.finish, made.calls) == (_LONG, Finish.FINISHED, ())
        assert ears.text == _LONG
        assert len(ears.pieces) > 1

    def test_calls_come_with_ids_names_and_arguments_as_the_model_wrote_them(self) -> None:
        ears = Ears()
        calls = [call("memory", '{"text": "a b"}', "first"), call("memory", "{}", "second")]
        with self.open_model([reply("Hi", calls=calls, reasoning="because")]) as model:
            made = self.ask(model, ears)
        assert (made.finish, ears.text) == (Finish.TOOL_CALLS, "Hi")
        assert [(one.call_id, one.name, one.arguments) for one in made.calls] == [
            ("first", "memory", '{"text": "a b"}'),
            ("second", "memory", "{}"),
        ]

    @pytest.mark.parametrize(
        ("step", "finish"),
        [
            (reply(_LONG, finish="length"), Finish.TRUNCATED),
            (reply(_LONG, finish="content_filter"), Finish.FILTERED),
            (half_call("memory", '{"text": "a b"}'), Finish.TRUNCATED),
            (reply(reasoning="only thinking"), Finish.EMPTY),
            (reply(""), Finish.EMPTY),
        ],
        ids=["truncated", "filtered", "half a call", "thinking", "empty"],
    )
    def test_why_an_answer_ended_is_told_apart(self, step: Step, finish: Finish) -> None:
        with self.open_model([step]) as model:
            assert self.ask(model).finish is finish

    def test_half_a_call_keeps_the_half_that_came(self) -> None:
        with self.open_model([half_call("memory", '{"text": "a b"}')]) as model:
            (made,) = self.ask(model).calls
        assert made.parsed() is None
        assert '{"text": "a b"}'.startswith(made.arguments)

    def test_a_reply_can_be_stored_and_sent_back_with_the_results_of_its_calls(self) -> None:
        first = reply("", calls=[call("memory", {"text": "tea"}, "mine")], reasoning="because")
        with self.open_model([first, reply("done", expect="kept it")]) as model:
            made = self.ask(model)
            stored = load_response(dump_response(made.response))
            assert dump_response(stored) == dump_response(made.response)
            results = outcomes_request([ToolOutcome("mine", "memory", "kept it")])
            assert self.ask(model, None, user_request("hello"), stored, results).text == "done"

    @pytest.mark.parametrize(
        ("step", "error"),
        [
            (fault(400, "no"), ModelRequestError),
            (fault(401, "no"), ModelRequestError),
            (fault(404, "no"), ModelRequestError),
            (fault(429, "slowly", retry_after=7), ModelUnavailableError),
            (fault(500), ModelUnavailableError),
            (fault(529), ModelUnavailableError),
            (drop(), ModelUnavailableError),
            (broken(_LONG, after=6), StreamBrokenError),
            (unfinished(_LONG), StreamBrokenError),
            (stream_error(_LONG, after=6), ModelUnavailableError),
        ],
        ids=["400", "401", "404", "429", "500", "529", "drop", "broken", "unfinished", "error event"],
    )
    def test_each_fault_is_an_error_of_its_own_kind_with_a_remedy(
        self, step: Step, error: type[VibeOSError]
    ) -> None:
        with self.open_model([step]) as model, pytest.raises(VibeOSError) as told:
            self.ask(model)
        assert type(told.value) is error
        assert told.value.remedy

    def test_the_time_that_a_provider_asks_to_wait_is_told(self) -> None:
        with (
            self.open_model([fault(429, retry_after=7)]) as model,
            pytest.raises(ModelUnavailableError) as told,
        ):
            self.ask(model)
        assert told.value.retry_after == 7

    @pytest.mark.parametrize("form", get_args(OverflowForm))
    def test_a_request_that_is_too_long_is_told_in_every_vendors_form(self, form: OverflowForm) -> None:
        with self.open_model([overflow(form)]) as model, pytest.raises(ContextOverflowError):
            self.ask(model)

    def test_what_was_heard_before_a_break_is_the_beginning_of_the_answer(self) -> None:
        ears = Ears()
        with self.open_model([broken(_LONG, after=6)]) as model, pytest.raises(StreamBrokenError):
            self.ask(model, ears)
        assert ears.text
        assert _LONG.startswith(ears.text)

    def test_a_request_that_no_provider_takes_is_not_sent(self) -> None:
        with self.open_model(["for the next one"]) as model:
            with pytest.raises(InvalidRequestError):
                self.ask(model, None, outcomes_request([ToolOutcome("x", "memory", "of no call")]))
            assert self.ask(model).text == "for the next one"

    def test_it_may_be_asked_from_one_event_loop_after_another(self) -> None:
        with self.open_model(["one", "two"]) as model:
            assert [self.ask(model).text for _ in range(2)] == ["one", "two"]

    def test_many_questions_side_by_side_each_get_an_answer_of_their_own(self) -> None:
        async def many() -> list[str]:
            try:
                return [one.text for one in await asyncio.gather(*(model.ask(_request()) for _ in range(8)))]
            finally:
                await model.close()

        with self.open_model([str(number) for number in range(8)]) as model:
            assert sorted(asyncio.run(many())) == [str(number) for number in range(8)]

    def test_cancelling_ends_the_request_at_once(self) -> None:
        async def impatient() -> None:
            try:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(model.ask(_request()), 0.2)
            finally:
                await model.close()

        begun = time.monotonic()
        with self.open_model([reply("late", delay=_SLOW)]) as model:
            asyncio.run(impatient())
        assert time.monotonic() - begun < _SOON


def _request(*messages: Any) -> Request:
    return Request("Be kind.", (_TOOL,), list(messages) or [user_request("hello")])
