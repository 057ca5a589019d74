"""The Anthropic messages format, spoken by Anthropic and by some other servers.

Three marks tell the provider what to keep for the next request: behind the tools, behind the system prompt, and at the
end of the last message. Apart from them each request begins with the one before it, byte for byte. Thinking goes back
with its signature, and only to whom it came from. Nothing is taken from the environment, and the SDK does not retry.

What this format refuses and others take is mended here, the same way each time: ids with other letters than its own,
blanks that stand for words, and results without any.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

from anthropic import AsyncAnthropic
from anthropic.resources.beta import AsyncBeta
from anthropic.resources.beta.messages import AsyncMessages
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.profiles.anthropic import AnthropicModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider

from vibeos.ports.models.faults import Scene, without_end
from vibeos.ports.models.http_client import encoded, open_http_client

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.settings import ModelSettings

    from vibeos.ports.models.kept import Kept
    from vibeos.ports.models.mapped import MappedElements
    from vibeos.ports.models.patience import Patience
    from vibeos.ports.models.route import Route

_NO_KEY = "none"  # the SDK wants some key; servers that need none ignore it
_NOT_IN_AN_ID = re.compile(r"[^a-zA-Z0-9_-]")


class AnthropicMessages:
    """A route in the Anthropic messages format, over connections of one event loop."""

    def __init__(self, route: Route, key: str, patience: Patience, kept: Kept) -> None:
        self._route = route
        self._patience = patience
        self._client = _Client(
            api_key=key or _NO_KEY,
            base_url=route.address.removesuffix("/v1"),  # which the SDK adds
            max_retries=0,
            http_client=open_http_client(route, patience, kept=kept),
            open_telemetry=False,
        )
        # The SDK takes headers from a variable of its own; only the composition root reads the environment.
        self._client._custom_headers = {}  # noqa: SLF001 - the SDK has no other way to say "none"
        self._model = _MessagesModel(route, self._client, kept.mapped_as(""))

    def model(self, messages: Sequence[ModelMessage]) -> AnthropicModel:  # noqa: ARG002 - one serves them all
        """The library's model for a request with these messages."""
        return self._model

    def settings(self) -> ModelSettings:
        """What is asked for beside the messages and tools. The library knows how much each model can write."""
        settings = AnthropicModelSettings(
            request_timeout=self._patience.total,
            anthropic_cache_tool_definitions=True,
            anthropic_cache_instructions=True,
            anthropic_cache_messages=True,
        )
        if self._route.max_output_tokens is not None:
            settings["max_tokens"] = self._route.max_output_tokens
        return settings

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class _Client(AsyncAnthropic):
    @cached_property
    def beta(self) -> AsyncBeta:
        return _Beta(self)

    async def _copy_and_prepare(self, options: Any) -> Any:
        exact = options.extra_json
        options.extra_json = None
        prepared: Any = await super()._copy_and_prepare(options)
        prepared.content = encoded({**prepared.json_data, **exact})
        prepared.json_data = None
        return prepared


class _Beta(AsyncBeta):
    @cached_property
    def messages(self) -> AsyncMessages:
        return _Messages(self._client)


class _Messages(AsyncMessages):
    """Sends messages as the library made them: the SDK looks three times into each, for what is never there."""

    async def create(self, *, messages: Any, extra_body: Any = None, **rest: Any) -> Any:
        return await super().create(
            messages=(), extra_body={"messages": messages, **(extra_body or {})}, **rest
        )


class _MessagesModel(AnthropicModel):
    def __init__(
        self, route: Route, client: AsyncAnthropic, mapped: MappedElements[list[dict[str, Any]]]
    ) -> None:
        super().__init__(
            route.model,
            provider=AnthropicProvider(anthropic_client=client),
            profile=AnthropicModelProfile(context_window=route.context_window, json_schema_transformer=None),
        )
        self._route = route
        self._mapped = mapped

    async def _process_streamed_response(self, response: Any, *options: Any, **named: Any) -> Any:
        try:
            return await super()._process_streamed_response(response, *options, **named)
        except (UnexpectedModelBehavior, AssertionError) as error:
            if response.source.response.headers.get("content-type", "").startswith("text/event-stream"):
                raise without_end(Scene(self._route)) from error
            raise

    def _map_text_part(self, message: Any, part: Any, *params: Any) -> None:
        if part.content.strip():
            super()._map_text_part(message, part, *params)

    def _map_thinking_part(self, message: Any, part: Any, *params: Any) -> None:
        """The library would send another model's thinking as words that were said."""
        if part.signature and self.accepts_stateless_artifacts(message, part):
            super()._map_thinking_part(message, part, *params)

    async def _map_message(self, messages: Any, *options: Any) -> Any:
        mapped: Any = await super()._map_message(messages, *options)
        system, turns = mapped
        if turns:  # the only turn that a mark is set on; the others are kept for the next request
            turns[-1] = {**turns[-1], "content": [{**block} for block in turns[-1]["content"]]}
        return system, turns

    async def _map_model_request(self, message: Any, standing_prompt_count: int, map_context: Any) -> None:
        if standing_prompt_count:  # the system prompt goes elsewhere
            await super()._map_model_request(message, standing_prompt_count, map_context)
            return
        turns = map_context.anthropic_messages
        if (found := self._mapped.get(message)) is not None:
            turns.extend(found)
            return
        before = len(turns)
        await super()._map_model_request(message, standing_prompt_count, map_context)
        self._mapped.put(message, turns[before:])

    def _map_model_response(self, message: Any, map_context: Any) -> None:
        turns = map_context.anthropic_messages
        if (found := self._mapped.get(message)) is not None:
            turns.extend(found)
            return
        before = len(turns)
        super()._map_model_response(message, map_context)
        self._mapped.put(message, [_with_legal_ids(turn) for turn in turns[before:]])

    async def _map_tool_return_part(self, part: Any, map_context: Any) -> Any:
        mapped: Any = await super()._map_tool_return_part(part, map_context)
        mapped["tool_use_id"] = _legal_id(mapped["tool_use_id"])
        if not any(block.get("text", "").strip() for block in mapped["content"] or ()):
            mapped["content"] = ""
        return mapped


def _with_legal_ids(turn: dict[str, Any]) -> dict[str, Any]:
    for block in turn["content"]:
        if block["type"] == "tool_use":
            block["id"] = _legal_id(block["id"])
    return turn


def _legal_id(call_id: str) -> str:
    """The id itself, or one that only this id becomes: other servers use letters that this format refuses."""
    legal = _NOT_IN_AN_ID.sub("_", call_id)
    return call_id if legal == call_id else f"{legal}_{crc32(call_id.encode()):08x}"
