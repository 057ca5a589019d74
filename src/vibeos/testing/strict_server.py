"""A model's endpoint on this machine that is as strict as the real one, plays a script and keeps every request.

    with StrictServer([reply("hello")]) as server:
        ...                       # ask server.base_url
    server.assert_used_up()

It listens on 127.0.0.1 only, in threads of this process. Rules stand before the script: a request that the real
endpoint would refuse is refused with its status and words, and uses up no step. It speaks OpenAI's chat completions
and Anthropic's messages, whole and streamed; the path of a request says which, and the same steps are played in each.

For other processes: `python -m vibeos.testing.strict_server --script FILE.json` prints its address as its first
line and ends, when it is told to, with 1 unless the script was played as written.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Self

from vibeos.testing.anthropic_wire import MESSAGES_PATH, AnthropicWire
from vibeos.testing.http_side import HttpSide
from vibeos.testing.openai_wire import OpenAIWire
from vibeos.testing.perform import perform
from vibeos.testing.script import Script
from vibeos.testing.wire import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from vibeos.testing.steps import Playable
    from vibeos.testing.wire import KeptRequest, Refusal, WireFormat, WireResponse, WireStream

_DEFAULT_MODELS = ("strict-model",)


class StrictServer:
    """The server. `api_key` and `models` None accept any; `context_window` None any length, in tokens."""

    def __init__(
        self,
        steps: Iterable[Playable] = (),
        *,
        api_key: str | None = None,
        models: Sequence[str] | None = None,
        context_window: int | None = None,
        port: int = 0,
    ) -> None:
        self.script = Script(steps)
        self.refusals: list[Refusal] = []
        self._limits = Limits(api_key, models, context_window)
        self._openai = OpenAIWire()
        self._anthropic = AnthropicWire()
        self._port = port
        self._requests: list[KeptRequest] = []
        self._lock = Lock()
        self._stopping = Event()
        self._http: HttpSide | None = None
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Listen; the address is known from here on."""
        self._http = HttpSide(self._port, self)
        self._port = self._http.server_address[1]
        self._thread = Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="strict-server"
        )
        self._thread.start()

    def stop(self) -> None:
        """Close every connection and wait for the threads."""
        if self._http is None or self._thread is None:
            return
        self._stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.close_connections()
        self._http.server_close()
        self._http = self._thread = None

    @property
    def base_url(self) -> str:
        """The address that an OpenAI client is configured with."""
        return f"{self.root_url}/v1"

    @property
    def root_url(self) -> str:
        """The address that an Anthropic client is configured with, which adds `/v1` by itself."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def requests(self) -> list[KeptRequest]:
        """Every request so far, the refused ones too, in the order of their arrival."""
        with self._lock:
            return list(self._requests)

    def extend(self, steps: Iterable[Playable]) -> None:
        """Put steps at the end of the script."""
        self.script.extend(steps)

    def assert_used_up(self) -> None:
        """Fail unless every step was used and nothing else was asked."""
        self.script.assert_used_up()

    def answer(self, request: KeptRequest) -> WireResponse | WireStream | None:
        """Judge a request, play a step, keep both. None: close the connection without an answer."""
        request = self._keep(request)
        wire = self._format(request)
        response = self._refused(request, wire) or self._played(request, wire)
        with self._lock:
            status = 0 if response is None else response.status
            self._requests[request.number - 1] = replace(request, status=status)
        return response

    def refuse(self, request: KeptRequest, refused: Refusal) -> WireResponse:
        """Refuse what could not be read; it is not kept."""
        return self._format(request).render_refusal(refused, request.number)

    def failed(self, error: BaseException | None) -> None:
        """Keep that a request could not be answered; it is the script's fault."""
        self.script.note(f"the server failed: {error!r}")

    def pause(self, seconds: float) -> bool:
        """Wait; True when the server was stopped meanwhile."""
        return self._stopping.wait(seconds)

    def _format(self, request: KeptRequest) -> WireFormat:
        """By the path; where both have the same one, by the header that only one of them sends."""
        if request.path.startswith(MESSAGES_PATH) or "anthropic-version" in request.headers:
            return self._anthropic
        return self._openai

    def _keep(self, request: KeptRequest) -> KeptRequest:
        with self._lock:
            request = replace(request, number=len(self._requests) + 1)
            self._requests.append(request)
        return request

    def _refused(self, request: KeptRequest, wire: WireFormat) -> WireResponse | None:
        refused = wire.refusal(request, self._limits)
        if refused is None:
            return None
        with self._lock:
            self.refusals.append(refused)
        return wire.render_refusal(refused, request.number)

    def _played(self, request: KeptRequest, wire: WireFormat) -> WireResponse | WireStream | None:
        if request.method == "GET":
            return wire.render_models(self._limits.models or _DEFAULT_MODELS)
        action, delay = self.script.play(request)
        if delay and self.pause(delay):
            return None
        return perform(action, request, wire)


if __name__ == "__main__":
    from vibeos.testing.serve import main

    sys.exit(main())
