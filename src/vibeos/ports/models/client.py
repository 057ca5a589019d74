"""One question to a model, over the network and back as a value. Not streaming yet.

What is sent is: the system prompt as the first message, the tools, then the conversation, each in its order and
byte for byte as before, so that a provider's prefix cache lives from request to request. Three habits of the
library would break that and are switched off here: it rewrites tool schemas, it adds and takes back empty
thinking fields, and it takes addresses and headers from the environment.

Text that a server may read as the end of a turn (`<|im_end|>` and its kind) gets an invisible joiner on the
wire, in inputs and results, where the library knows that the service would obey it; nothing stored is changed.

There is one layer of retries, the vendor SDK's (connection faults, 408, 409, 429 and 5xx). Redirects are not
followed and nothing is traced: what leaves this machine goes to the route's address only.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from warnings import catch_warnings

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from vibeos.ports.models.check import check_request
from vibeos.ports.models.faults import as_request_error
from vibeos.ports.models.messages import (
    response_text,
    says_something,
    sendable,
    system_request,
    thinking_parts,
    tool_calls,
)
from vibeos.ports.models.reply import Finish, Reply, Usage
from vibeos.ports.models.route import OPENAI_ADDRESS, require_key
from vibeos.values.errors import ModelRequestError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pydantic_ai.messages import ModelMessage, ModelResponse

    from vibeos.ports.models.route import Route
    from vibeos.ports.models.tools import ToolSpec

_NO_KEY = "none"  # the SDK wants some key; servers that need none ignore it
_THINKING_FIELDS = ("reasoning_content", "reasoning")
# What the library raises, besides its own errors, on an answer whose form it did not foresee.
_UNREADABLE = (AttributeError, LookupError, NotImplementedError, RuntimeError, TypeError, ValueError)
_OPENAI_FAMILIES = ("gpt-", "chatgpt", "o1", "o3", "o4", "codex")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a model is waited for, in seconds, and how often a failed request is sent again."""

    connect: float = 10
    answer: float = 600
    total: float = 900
    retries: int = 2


PATIENT = Patience()


async def ask(
    route: Route,
    *,
    api_key: str,
    system: str,
    tools: Sequence[ToolSpec],
    messages: Sequence[ModelMessage],
    patience: Patience = PATIENT,
) -> Reply:
    """Ask the model and wait for its whole answer.

    Raises InvalidRequestError when the conversation is not valid (nothing is sent), ModelNotConfiguredError when
    the key is missing, ContextOverflowError when the request is too long, ModelRequestError for anything else
    that the provider or the network did.
    """
    check_request(messages, tools)
    return await _exchange(
        route,
        key=require_key(route, api_key),
        system=system,
        tools=tools,
        messages=messages,
        patience=patience,
    )


async def _exchange(
    route: Route,
    *,
    key: str,
    system: str,
    tools: Sequence[ToolSpec],
    messages: Sequence[ModelMessage],
    patience: Patience,
) -> Reply:
    """`ask`, without the check before it."""
    elements = [system_request(system), *messages] if system else list(messages)
    async with _open_model(
        route, key=key, patience=patience, thinking=_thinking_field(route, messages)
    ) as model:
        try:
            response = await model_request(
                model,
                elements,
                model_settings=_settings(route, patience),
                model_request_parameters=ModelRequestParameters(
                    function_tools=[_definition(tool) for tool in tools]
                ),
                instrument=False,
            )
        except (AgentRunError, RecursionError, ValueError) as error:
            raise as_request_error(error, route=route, key=key) from error
    return _reply(sendable(response))


class _ChatModel(OpenAIChatModel):
    """The library's model, but any answer that it cannot read is an error of one kind."""

    def _process_response(self, response: Any, **options: Any) -> ModelResponse:
        fault = getattr(response, "error", None)
        if fault and not getattr(response, "choices", None):
            raise ModelAPIError(self.model_name, "the answer is an error", body=fault)
        try:
            # Its remarks on odd answers are meant for its developers.
            with catch_warnings(action="ignore"):
                return super()._process_response(response, **options)
        except _UNREADABLE as error:
            raise UnexpectedModelBehavior(f"{type(error).__name__}: {error}") from error


@asynccontextmanager
async def _open_model(
    route: Route, *, key: str, patience: Patience, thinking: str
) -> AsyncIterator[_ChatModel]:
    http = _http_client(route, patience)
    async with AsyncOpenAI(
        api_key=key or _NO_KEY, base_url=route.address, max_retries=patience.retries, http_client=http
    ) as client:
        # The SDK fills these from variables of its own; only the composition root reads the environment.
        client.organization = client.project = client.admin_api_key = None
        client._custom_headers = {}  # noqa: SLF001 - the SDK has no other way to say "none"
        yield _ChatModel(route.model, provider=_provider(route, client), profile=_profile(route, thinking))


def _http_client(route: Route, patience: Patience) -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(patience.answer, connect=patience.connect)
    if not route.is_loopback:
        return _client_for_the_world(route, timeout)
    # A proxy is for the world, never for this machine. Reading the world's certificates costs 25 ms; a server
    # here is asked in plain HTTP, and an empty context trusts nobody should it not be.
    encrypted = urlsplit(route.address).scheme == "https"
    verify: SSLContext | bool = True if encrypted else SSLContext(PROTOCOL_TLS_CLIENT)
    return httpx2.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=False, verify=verify)


def _client_for_the_world(route: Route, timeout: httpx2.Timeout) -> httpx2.AsyncClient:
    """Proxies and certificates come from the environment as everywhere; but a proxy never sees a key in the clear."""
    encrypted = urlsplit(route.address).scheme == "https"
    try:
        return httpx2.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=encrypted)
    except (OSError, ImportError, ValueError) as error:
        raise ModelRequestError(
            f"{route.address} cannot be asked: {error}",
            remedy="Look at the variables SSL_CERT_FILE, SSLKEYLOGFILE, HTTPS_PROXY and ALL_PROXY.",
        ) from error


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


def _settings(route: Route, patience: Patience) -> ModelSettings:
    settings = ModelSettings(request_timeout=patience.total)
    if route.max_output_tokens is not None:
        settings["max_tokens"] = route.max_output_tokens
    return settings


def _definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters_json_schema)
    )


def _reply(response: ModelResponse) -> Reply:
    calls = tuple(tool_calls(response))
    usage = response.usage
    return Reply(
        response=response,
        text=response_text(response),
        calls=calls,
        usage=Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens),
        finish=_finish(response, has_calls=bool(calls)),
    )


def _finish(response: ModelResponse, *, has_calls: bool) -> Finish:
    match response.finish_reason:
        case "length":
            return Finish.TRUNCATED
        case "content_filter":
            return Finish.FILTERED
    if has_calls:
        return Finish.TOOL_CALLS
    return Finish.FINISHED if says_something(response) else Finish.EMPTY
