"""What went wrong at a provider or on the way to it, said in our own words with what to do next.

The library names categories and keeps the provider's body; which refusal means "too long" is judged by `overflow`.
The provider's own sentence is quoted on one line, without the key should it repeat it. What may succeed when it is
asked again is a ModelUnavailableError, an answer that broke off a StreamBrokenError; everything else stays as it is
until the person changes something.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import httpx2
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestTimeout,
    ModelTimeoutError,
)

from vibeos.ports.models.overflow import is_overflow
from vibeos.values.errors import (
    ContextOverflowError,
    ModelRequestError,
    ModelUnavailableError,
    StreamBrokenError,
)
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.ports.models.route import Route

_PASSING = frozenset({408, 409, 425, 429})
_REQUEST_OVER_RATE = re.compile(r"request too large", re.IGNORECASE)
_QUOTED = 300
_LONGEST_KEY = 500
_INCOMPLETE = "closed the connection before its answer was complete"


class Scene(NamedTuple):
    """Where something went wrong: at which route, with which key, and whether its answer had begun to come."""

    route: Route
    key: str = ""
    began: bool = False


def as_request_error(error: Exception, scene: Scene) -> ModelRequestError:
    """The error to raise for what the library raised; the key stands nowhere in it."""
    mapped = _ours(error) or _mapped(error, scene)
    mapped.message = _without_key(mapped.message, scene.key)
    mapped.remedy = _without_key(mapped.remedy, scene.key)
    mapped.args = (mapped.message,)
    return mapped


def without_end(scene: Scene) -> StreamBrokenError:
    """The error for a stream that stopped without saying that its answer is complete."""
    return StreamBrokenError(f"{scene.route.address} {_INCOMPLETE}", remedy="Try again.")


def _without_key(text: str, key: str) -> str:
    """Also where the key is broken by blanks or invisible characters."""
    if not key:
        return text
    broken = r"[\W_]{0,3}".join(map(re.escape, key)) if len(key) <= _LONGEST_KEY else re.escape(key)
    return re.sub(broken, "***", text)


def _ours(error: Exception) -> ModelRequestError | None:
    """An error of our own that a library has wrapped, such as that of an answer without end."""
    return next((cause for cause in _causes(error) if isinstance(cause, ModelRequestError)), None)


def _mapped(error: Exception, scene: Scene) -> ModelRequestError:
    route, said = scene.route, _said(error, scene.key)
    if isinstance(error, ModelAPIError) and _says_overflow(error, said):
        return ContextOverflowError(
            f"The request is too long for {route.name!r}{said}",
            remedy="Begin a new session (what this one said can still be searched), or use a model with a larger window.",
        )
    match error:
        case ModelRequestTimeout():
            return _at(route, "did not answer in time", "", "Try again later, or ask a faster model.")
        case ModelTimeoutError(phase="read" | "write" | "pool" | None) | httpx2.TimeoutException():
            remedy = "Try again later, or ask a faster model."
            return ModelUnavailableError(f"{route.address} did not answer in time", remedy=remedy)
        case ModelConnectionError() | httpx2.TransportError():
            return _connection(error, scene)
        case ModelHTTPError():
            return _status(error, route, said)
    return _unreadable(error, scene, said)


def _says_overflow(error: ModelAPIError, said: str) -> bool:
    body = _innermost(error.body)
    names = (error.provider_error_code, error.provider_error_type, body.get("code"), body.get("type"))
    codes = tuple(name for name in names if isinstance(name, str))
    if isinstance(error, ModelHTTPError):
        return is_overflow(status=error.status_code, codes=codes, sentence=said)
    # Without a status and a body it is the library that speaks, of something it could not read.
    return error.body is not None and is_overflow(status=_status_in(body), codes=codes, sentence=said)


def _status_in(body: dict[object, object]) -> int | None:
    """The HTTP status that a server wrote into its answer because the answer's own was 200 already."""
    code = body.get("code")
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _innermost(body: object) -> dict[object, object]:
    """The object that tells of the error; Anthropic and many gateways wrap it in another."""
    while isinstance(body, dict):
        inner = body.get("error")
        if not isinstance(inner, dict):
            return body
        body = inner
    return {}


def _unreadable(error: Exception, scene: Scene, said: str) -> ModelRequestError:
    """An answer came, but it is none that a chat can go on with."""
    route = scene.route
    if target := _redirect_target(error):
        remedy = "If that address is the right one, set model.base_url to it."
        return _at(route, f"sends on to {target!r}, which VibeOS does not follow", "", remedy)
    if isinstance(error, ModelAPIError) and error.body is not None:
        passing = error.in_stream or _is_passing(_status_in(_innermost(error.body)) or 0)
        kind = ModelUnavailableError if passing else ModelRequestError
        return kind(f"{route.address} answered with an error{said}", remedy="Try again later.")
    if scene.began:
        return StreamBrokenError(
            f"{route.address} sent an answer with a damaged part{said}", remedy="Try again."
        )
    form = "Anthropic messages" if route.provider == "anthropic" else "OpenAI chat"
    server = (
        "a server of Anthropic's format" if route.provider == "anthropic" else "an OpenAI-compatible server"
    )
    remedy = f"Check that model.base_url is the address of {server}; it usually ends in /v1."
    return _at(route, f"gave an answer that is not of the {form} format", said, remedy)


def _status(error: ModelHTTPError, route: Route, said: str) -> ModelRequestError:
    status = error.status_code
    what, remedy = (
        f"refused the request (HTTP {status})",
        "Check that model.name and model.base_url belong together.",
    )
    if isinstance(error, ModelQuotaExceededError):
        what = f"refused, because the account's credit or quota is used up (HTTP {status})"
        return _at(route, what, said, "Look at the account's billing at the provider; waiting does not help.")
    if status in {401, 403}:
        return _at(route, f"refused the key (HTTP {status})", said, _about_the_key(route))
    if status == 404:
        return _not_found(error, route, said)
    if status == 429 and _REQUEST_OVER_RATE.search(said):
        what = "takes no request of this length at this account's rate (HTTP 429)"
        return _at(
            route,
            what,
            said,
            "Set model.context_window below that number of tokens, or raise the account's limit.",
        )
    if status == 429:
        what, remedy = (
            f"takes no more requests for now (HTTP 429{_wait(error)})",
            "Wait a little and try again.",
        )
    elif status >= 500:
        what, remedy = f"failed (HTTP {status})", "Try again later."
    if _may_pass(error):
        return ModelUnavailableError(
            f"{route.address} {what}{said}", remedy=remedy, retry_after=error.retry_after
        )
    return _at(route, what, said, remedy)


def _may_pass(error: ModelHTTPError) -> bool:
    """Whether the same request may succeed later. A provider that says so itself knows best."""
    if error.provider_retry_hint is not None:
        return error.provider_retry_hint
    return _is_passing(error.status_code)


def _is_passing(status: int) -> bool:
    return status in _PASSING or status >= 500


def _not_found(error: ModelHTTPError, route: Route, said: str) -> ModelRequestError:
    if error.provider_error_code == "model_not_found" or (route.model in said and "model" in said.lower()):
        remedy = "Check model.name. It may also be a model that this key may not use."
        return _at(route, f"does not know the model {route.model!r} (HTTP 404)", said, remedy)
    remedy = f"Check model.base_url (it usually ends in /v1) and model.name ({route.name})."
    return _at(route, "has no such page or model (HTTP 404)", said, remedy)


def _about_the_key(route: Route) -> str:
    if route.api_key_env:
        return f"Check the key in {route.api_key_env}, and that it may use {route.model!r}."
    return "Name the variable that holds this server's key: vibeos config set model.api_key_env NAME"


def _connection(error: Exception, scene: Scene) -> ModelUnavailableError:
    route, reason = scene.route, f": {preview(_deepest(error))}"
    if scene.began:
        return StreamBrokenError(f"{route.address} {_INCOMPLETE}{reason}", remedy="Try again.")
    if getattr(error, "phase", "read") != "connect":
        return ModelUnavailableError(f"{route.address} {_INCOMPLETE}{reason}", remedy="Try again.")
    remedy = "Check the network, and model.base_url."
    if route.is_loopback:
        remedy = "Start the server there, or set model.base_url to where it is."
    return ModelUnavailableError(f"Nothing answers at {route.address}{reason}", remedy=remedy)


def _at(route: Route, what: str, said: str, remedy: str) -> ModelRequestError:
    return ModelRequestError(f"{route.address} {what}{said}", remedy=remedy)


def _wait(error: ModelHTTPError) -> str:
    return "" if error.retry_after is None else f"; it asks to wait {error.retry_after:.0f} s"


def _said(error: Exception, key: str) -> str:
    """`: "what the provider said"`, on one line and without the key; empty when it said nothing."""
    body = error.body if isinstance(error, ModelAPIError) else None
    text = _sentence(body) if body is not None else str(error)
    if isinstance(error, ModelHTTPError) and body is None:
        text = ""
    if key:
        text = text.replace(key, "***")
    text = preview(text, _QUOTED)
    return f": {text!r}" if text else ""


def _sentence(body: object) -> str:
    """The sentence inside an error's body; OpenAI, vLLM, FastAPI and plain text put it in different places."""
    if isinstance(body, dict):
        for name in ("message", "error", "detail"):
            if found := body.get(name):
                return _sentence(found)
    return body if isinstance(body, str) else repr(body)


def _redirect_target(error: Exception) -> str:
    """Where a redirect leads. Both vendors' SDKs keep the response on their own errors."""
    response = getattr(error.__cause__, "response", None)
    if not isinstance(response, httpx2.Response) or not response.is_redirect:
        return ""
    return preview(response.headers["location"])


def _deepest(error: Exception) -> str:
    """The first cause that has something to say: the operating system's reason, not the library's summary."""
    reasons = [str(cause) for cause in _causes(error) if str(cause)]
    return reasons[-1] if reasons else type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it, newest first."""
    cause: BaseException | None = error
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__
