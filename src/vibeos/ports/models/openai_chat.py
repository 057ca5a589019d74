"""The OpenAI chat format, spoken by OpenAI and by most other servers.

What is sent is: the system prompt as the first message, the tools, then the conversation, each in its order and byte for
byte as before, so that a provider's prefix cache lives from request to request. Three habits of the library would break
that and are switched off here: it rewrites tool schemas, it adds and takes back empty thinking fields, and it takes
addresses and headers from the environment. The SDK's retries are off too; there is one layer of them, ours.

Text that a server may read as the end of a turn (`<|im_end|>` and its kind) gets an invisible joiner on the wire, in
inputs and results, where the library knows that the service would obey it; nothing stored is changed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

import httpx2
from openai import AsyncOpenAI, AsyncStream, omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic_ai._special_tokens import break_special_tokens_in_messages
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from vibeos.ports.models.faults import Scene, without_end
from vibeos.ports.models.http_client import TAIL, encoded, open_http_client
from vibeos.ports.models.messages import thinking_parts
from vibeos.ports.models.route import OPENAI_ADDRESS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pydantic_ai.messages import (
        FinishReason,
        ModelMessage,
        ModelRequest,
        ModelResponse,
    )

    from vibeos.ports.models.kept import Kept
    from vibeos.ports.models.mapped import MappedElements
    from vibeos.ports.models.patience import Patience
    from vibeos.ports.models.route import Route

_NO_KEY = "none"  # the SDK wants some key; servers that need none ignore it
_THINKING_FIELDS = ("reasoning_content", "reasoning")
_OPENAI_FAMILIES = ("gpt-", "chatgpt", "o1", "o3", "o4", "codex")
_EVENT_STREAM = "text/event-stream"
_BREAKS = "may_tokenize_special_tokens_in_content"

T = TypeVar("T", "ModelRequest", "ModelResponse")


class OpenAIChat:
    """A route in the OpenAI chat format, over connections of one event loop."""

    def __init__(self, route: Route, key: str, patience: Patience, kept: Kept) -> None:
        self._route = route
        self._patience = patience
        self._kept = kept
        self._client = _Client(
            api_key=key or _NO_KEY,
            base_url=route.address,
            max_retries=0,
            http_client=open_http_client(route, patience, kept=kept),
        )
        # The SDK fills these from variables of its own; only the composition root reads the environment.
        self._client.organization = self._client.project = self._client.admin_api_key = None
        self._client._custom_headers = {}  # noqa: SLF001 - the SDK has no other way to say "none"
        self._models: dict[str, _ChatModel] = {}  # by the field that carries thinking

    def model(self, messages: Sequence[ModelMessage]) -> _ChatModel:
        """The library's model for a request with these messages."""
        field = _thinking_field(self._route, messages)
        if field not in self._models:
            mapped = self._kept.mapped_as(field)
            self._models[field] = _ChatModel(self._route, self._client, field, mapped)
        return self._models[field]

    def settings(self) -> ModelSettings:
        """What is asked for beside the messages and tools."""
        settings = ModelSettings(request_timeout=self._patience.total)
        if self._route.max_output_tokens is not None:
            settings["max_tokens"] = self._route.max_output_tokens
        return settings

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class _Client(AsyncOpenAI):
    @cached_property
    def chat(self) -> AsyncChat:
        return _Chat(self)

    async def _prepare_options(self, options: Any) -> Any:
        prepared: Any = await super()._prepare_options(options)
        prepared.content = encoded({**prepared.json_data, **prepared.extra_json})
        prepared.json_data = prepared.extra_json = None
        return prepared


class _Chat(AsyncChat):
    @cached_property
    def completions(self) -> AsyncCompletions:
        return _Completions(self._client)


class _Completions(AsyncCompletions):
    """Sends messages and tools as the library made them.

    The SDK compares every part of every message with its types, looking for names that it has to change; there are none,
    and it takes half a millisecond a message.
    """

    async def create(self, *, messages: Any, tools: Any = omit, extra_body: Any = None, **rest: Any) -> Any:
        exact = {"messages": messages} if tools is omit else {"messages": messages, "tools": tools}
        return await super().create(
            messages=(),
            tools=omit if tools is omit else (),
            extra_body={**exact, **(extra_body or {})},
            **rest,
        )


class _ChatModel(OpenAIChatModel):
    """The library's model, but it maps each element once, and takes an answer that comes whole for one too."""

    def __init__(
        self, route: Route, client: AsyncOpenAI, thinking: str, mapped: MappedElements[list[Any]]
    ) -> None:
        super().__init__(route.model, provider=_provider(route, client), profile=_profile(route, thinking))
        self._route = route
        self._mapped = mapped
        # The library breaks tokens in the whole conversation at each request; here only in what is new of it.
        self._breaks_tokens = bool(self.profile.get(_BREAKS, False))
        self.profile = {**self.profile, _BREAKS: False}  # type: ignore[misc]

    @property
    def _restores_special_tokens(self) -> bool:
        return self._breaks_tokens

    async def _map_user_message(self, message: ModelRequest) -> AsyncIterator[Any]:
        found = self._mapped.get(message)
        if found is None:
            mapped = [one async for one in super()._map_user_message(self._disarmed(message))]
            found = self._mapped.put(message, mapped)
        for one in found:
            yield one

    def _map_model_response(self, message: ModelResponse) -> Any:
        found = self._mapped.get(message)
        if found is None:
            found = self._mapped.put(message, [super()._map_model_response(self._disarmed(message))])
        return found[0] and {**found[0]}  # the library adds to it what depends on its place

    def _disarmed(self, message: T) -> T:
        """The element as it may be sent where a server would obey text that looks like the end of a turn."""
        if not self._breaks_tokens:
            return message
        profile = ModelProfile(may_tokenize_special_tokens_in_content=True)
        broken = break_special_tokens_in_messages([message], profile, self.accepts_stateless_artifacts)
        return cast("T", broken[0])

    async def _completions_create(self, messages: Any, stream: Any, settings: Any, parameters: Any) -> Any:
        answer = await super()._completions_create(messages, stream, settings, parameters)
        if not isinstance(answer, AsyncStream) or _is_event_stream(answer.response):
            return answer
        return await self._whole(answer.response)

    async def _whole(self, response: httpx2.Response) -> AsyncStream[ChatCompletionChunk] | ModelResponse:
        """What a server sent that does not stream, or does it under another name."""
        raw = await response.aread()
        if raw.lstrip().startswith((b"data:", b":", b"event:")):
            again = httpx2.Response(
                200, content=raw, request=response.request, extensions={TAIL: lambda: raw}
            )
            return AsyncStream(cast_to=ChatCompletionChunk, response=again, client=self.client)
        try:
            value = json.loads(raw)
        except ValueError as error:
            raise UnexpectedModelBehavior("the answer is no JSON") from error
        if not isinstance(value, dict):
            raise UnexpectedModelBehavior("the answer is no JSON object")
        return self._process_response(ChatCompletion.construct(**value))

    def _process_response(self, response: Any, **options: Any) -> ModelResponse:
        fault = getattr(response, "error", None)
        if fault and not getattr(response, "choices", None):
            raise ModelAPIError(self.model_name, "the answer is an error", body=fault)
        return super()._process_response(response, **options)

    async def _process_streamed_response(self, response: Any, *options: Any) -> OpenAIStreamedResponse:
        try:
            return await super()._process_streamed_response(response, *options)
        except UnexpectedModelBehavior as error:  # an event stream without an event
            _raise_hidden_fault(response.response)
            raise without_end(Scene(self._route)) from error

    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _ChatStream


class _ChatStream(OpenAIStreamedResponse):
    def _missing_finish_reason(self) -> FinishReason | None:  # type: ignore[override]
        """No reason, unless the server closed its stream in form."""
        response = self._response.source.response
        _raise_hidden_fault(response)
        return "stop" if b"[DONE]" in response.extensions[TAIL]() else None


def _raise_hidden_fault(response: httpx2.Response) -> None:
    """Raise the error that older llama.cpp servers write into a stream under a name that no client looks for."""
    for line in response.extensions[TAIL]().splitlines():
        if line.startswith(b"error:"):
            with suppress(ValueError):
                fault = json.loads(line.removeprefix(b"error:"))
                raise ModelAPIError("", "the stream ended with an error", body=fault, in_stream=True)


def _is_event_stream(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").startswith(_EVENT_STREAM)


def _provider(route: Route, client: AsyncOpenAI) -> OpenAIProvider | OpenAICompatibleProvider:
    if route.address == OPENAI_ADDRESS:
        return OpenAIProvider(openai_client=client)
    return OpenAICompatibleProvider(_service(route), openai_client=client)


def _service(route: Route) -> str:
    """The name under which the library keeps what only this service may get back, such as its thinking."""
    return "openai" if route.address == OPENAI_ADDRESS else urlsplit(route.address).netloc


def _profile(route: Route, thinking: str) -> OpenAIModelProfile:
    profile = OpenAIModelProfile(
        context_window=route.context_window,
        json_schema_transformer=None,
        openai_chat_send_back_thinking_parts="field" if thinking else False,
        openai_chat_supports_max_completion_tokens=_takes_max_completion_tokens(route),
    )
    if thinking:
        profile["openai_chat_thinking_field"] = thinking
    return profile


def _thinking_field(route: Route, messages: Sequence[ModelMessage]) -> str:
    """The field in which this service gave its thinking and wants it back; empty when it gave none.

    It follows from the first thinking in the conversation, so that a later answer cannot change what was sent.
    """
    if not route.thinking:
        return ""
    own = (part.id for part in thinking_parts(messages) if part.provider_name == _service(route))
    return next((field for field in own if field in _THINKING_FIELDS), "")


def _takes_max_completion_tokens(route: Route) -> bool:
    """OpenAI's models want `max_completion_tokens`, also behind another address; most others know `max_tokens` only."""
    name = route.model.rpartition("/")[2].lower()
    return name.startswith(_OPENAI_FAMILIES) and not name.startswith("gpt-oss")
