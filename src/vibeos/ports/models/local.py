"""`LocalModel`: a GGUF file run in this process (`local:FILE.gguf`, the extra `vibeos[local]`).

The file is served by llama.cpp at a free port of this machine, under a key that only this process knows, and asked like
any other OpenAI-compatible server. It is loaded at the first question and let go by `close`; several event loops may ask
it. What can be said without loading it (no extra, no file, another format) is said when it is opened.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from vibeos.ports.models.gguf import read_head
from vibeos.ports.models.model import Deaf
from vibeos.values.errors import ModelNotConfiguredError, ModelRequestError

if TYPE_CHECKING:
    from types import ModuleType

    from vibeos.ports.models.gguf import GgufHead
    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.network import NetworkModel
    from vibeos.ports.models.reply import Reply
    from vibeos.ports.models.route import Route

USUAL_WINDOW = 8_192  # memory for a context is taken when the model is loaded, so no more than asked for
_SILENT = -1
_MEGABYTE = 1_000_000

# For models of the ChatML family whose own template leaves the tools out. The calls that it asks for have the form in which
# most models of the family were trained to write them, and which the server reads back.
TEMPLATE_WITH_TOOLS = r"""{%- if tools or (messages and messages[0].role == 'system') %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}
{% endif %}{% if tools %}
You may call these tools, each described by one line of JSON:
<tools>
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}</tools>
To call one, write its name and its arguments as JSON between these tags:
<tool_call>
{"name": "NAME", "arguments": {}}
</tool_call>
{% endif %}<|im_end|>
{% endif %}{% for message in messages %}{% if message.role == 'assistant' %}<|im_start|>assistant
{{ message.content or '' }}{% for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% elif message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% elif message.role != 'system' or not loop.first %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


class LocalModel:
    """A `Model` that lives in this process."""

    def __init__(self, route: Route, *, threads: int = 1) -> None:
        """Raises ModelNotConfiguredError when the extra is not installed, or the file is missing or no GGUF file.

        `threads`: how many compute; two that spin starve each other on a small machine.
        """
        self._given = route
        self._path = os.path.expanduser(route.model)
        self._head = read_head(self._path)
        _require_extra(route)
        self._threads = threads
        self._served: tuple[Any, NetworkModel] | None = None  # the server and who asks it
        self._loading = Lock()

    def __repr__(self) -> str:
        return f"LocalModel({self._given.name!r})"

    @cached_property
    def route(self) -> Route:
        """The route with the window that the file is given: what is configured, as far as it was trained for that."""
        trained = self._head.trained_window or USUAL_WINDOW
        window = min(self._given.context_window or USUAL_WINDOW, trained)
        return replace(
            self._given, context_window=window, input_limit=min(self._given.input_limit or window, window)
        )

    async def ask(self, request: Request, listener: Listener = Deaf()) -> Reply:  # noqa: B008 - it has no state
        """Ask; the first question waits until the file is loaded. Raises ModelRequestError when it cannot be."""
        import asyncio  # noqa: PLC0415 - start-up is a feature

        network = await asyncio.to_thread(self._start)
        return await network.ask(request, listener)

    async def close(self) -> None:
        """Stop the server and let go of the memory. Asked again, it loads the file again."""
        import asyncio  # noqa: PLC0415 - the same

        if self._served is not None:
            await self._served[1].close()
        await asyncio.to_thread(self._stop)

    def _start(self) -> NetworkModel:
        from secrets import token_urlsafe  # noqa: PLC0415 - only when one is started

        from vibeos.ports.models.network import NetworkModel  # noqa: PLC0415 - the same

        with self._loading:
            if self._served is None:
                key = token_urlsafe(32)
                server = self._load(key)
                address = f"{server.listening_address}/v1"
                self._served = server, NetworkModel(replace(self.route, base_url=address), key)
            return self._served[1]

    def _stop(self) -> None:
        """The server ends with the last reference to it, which waits for its threads."""
        with self._loading:
            self._served = None

    def _load(self, key: str) -> Any:
        xllamacpp = import_module("xllamacpp")  # the extra
        try:
            return xllamacpp.Server(self._parameters(xllamacpp, key))
        except RuntimeError as error:  # it says no more than that it failed
            raise ModelRequestError(
                f"{self._given.name!r} could not be loaded{_memory(self._head)}",
                remedy="Either the file is damaged or of a kind that the installed llama.cpp does not know, or the memory "
                f"is too small for it and a window of {self.route.context_window} tokens: take a smaller file, or set "
                "model.context_window lower.",
            ) from error

    def _parameters(self, xllamacpp: ModuleType, key: str) -> Any:
        """Loopback only, nothing fetched, no page and no listing of what is asked, nothing on the terminal."""
        wanted = xllamacpp.CommonParams()
        wanted.model.path = self._path
        wanted.n_ctx = self.route.context_window
        wanted.n_parallel = 1
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = self._threads
        wanted.hostnames, wanted.port = ["127.0.0.1"], 0
        wanted.api_keys, wanted.cors_origins = [key], ""
        wanted.offline, wanted.ui, wanted.endpoint_slots = True, False, False
        wanted.verbosity, wanted.warmup = _SILENT, False
        if leaves_tools_out(self._head.chat_template):
            wanted.chat_template = TEMPLATE_WITH_TOOLS
        return wanted


def leaves_tools_out(template: str) -> bool:
    """Whether a model of the ChatML family has a template that would not show it the tools."""
    return "<|im_start|>" in template and "tools" not in template


def _require_extra(route: Route) -> None:
    if find_spec("xllamacpp") is None:
        raise ModelNotConfiguredError(
            f"{route.name!r} needs the part of VibeOS that runs models in this process, which is not installed",
            remedy="Install it: pip install 'vibeos[local]'. Or serve the file with llama.cpp or Ollama and give its "
            "address: vibeos config set model.base_url http://127.0.0.1:8080/v1",
        )


def _memory(head: GgufHead) -> str:
    """How big the file is, and how much memory is free where the system says so."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return f" (it has {head.size // _MEGABYTE:,} MB)"
    return f" (it has {head.size // _MEGABYTE:,} MB, and {free // _MEGABYTE:,} MB of memory are free)"
