"""What went wrong at a provider or on the way to it, said in our own words with what to do next.

The library names categories and keeps the provider's body; its list of ways to say "too long" is short, so ours
stands beside it. The provider's own sentence is quoted on one line, without the key should it repeat it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from openai import APIStatusError
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestTimeout,
    ModelTimeoutError,
)

from vibeos.values.errors import ContextOverflowError, ModelRequestError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from vibeos.ports.models.route import Route

_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|(prompt|input|request|conversation) is too long"
    r"|maximum (context|prompt|input|sequence) length|max_model_len|context window (is )?exceeded"
    r"|exceeds? (the |this )?(available |model'?s )?(maximum )?context|exceeds? the maximum number of (input )?tokens"
    r"|too many (input |prompt )?tokens|reduce the (length|number) of|greater than the context length",
    re.IGNORECASE,
)
_TOO_LONG_STATUSES = frozenset({400, 413, 422, 500})
_QUOTED = 300
_LONGEST_KEY = 500


def as_request_error(error: Exception, *, route: Route, key: str = "") -> ModelRequestError:
    """The error to raise for what the library raised; the key stands nowhere in it."""
    mapped = _mapped(error, route, key)
    return type(mapped)(_without_key(mapped.message, key), remedy=_without_key(mapped.remedy, key))


def _without_key(text: str, key: str) -> str:
    """Also where the key is broken by blanks or invisible characters."""
    if not key:
        return text
    broken = r"[\W_]{0,3}".join(map(re.escape, key)) if len(key) <= _LONGEST_KEY else re.escape(key)
    return re.sub(broken, "***", text)


def _mapped(error: Exception, route: Route, key: str) -> ModelRequestError:
    said = _said(error, key)
    if _is_overflow(error, said):
        return ContextOverflowError(
            f"The request is too long for {route.name!r}{said}",
            remedy="Begin a new session (what this one said can still be searched), or use a model with a larger window.",
        )
    match error:
        case ModelRequestTimeout() | ModelTimeoutError():
            return _at(route, "did not answer in time", "", "Try again later, or ask a faster model.")
        case ModelConnectionError():
            return _connection(error, route)
        case ModelHTTPError():
            return _status(error, route, said)
    return _unreadable(error, route, said)


def _unreadable(error: Exception, route: Route, said: str) -> ModelRequestError:
    """An answer came, but it is none that a chat can go on with."""
    if target := _redirect_target(error):
        remedy = "If that address is the right one, set model.base_url to it."
        return _at(route, f"sends on to {target!r}, which VibeOS does not follow", "", remedy)
    if isinstance(error, ModelAPIError) and error.body is not None:
        return _at(route, "answered with an error", said, "Try again later.")
    remedy = (
        "Check that model.base_url is the address of an OpenAI-compatible server; it usually ends in /v1."
    )
    return _at(route, "gave an answer that is not of the OpenAI chat format", said, remedy)


def _status(error: ModelHTTPError, route: Route, said: str) -> ModelRequestError:
    status = error.status_code
    what, remedy = (
        f"refused the request (HTTP {status})",
        "Check that model.name and model.base_url belong together.",
    )
    if isinstance(error, ModelQuotaExceededError):
        what = f"refused, because the account's credit or quota is used up (HTTP {status})"
        remedy = "Look at the account's billing at the provider; waiting does not help."
    elif status in {401, 403}:
        what = f"refused the key (HTTP {status})"
        remedy = _about_the_key(route)
    elif status == 404 and _is_about_the_model(error, route, said):
        what = f"does not know the model {route.model!r} (HTTP 404)"
        remedy = "Check model.name. It may also be a model that this key may not use."
    elif status == 404:
        what = "has no such page or model (HTTP 404)"
        remedy = f"Check model.base_url (it usually ends in /v1) and model.name ({route.name})."
    elif status == 429:
        what, remedy = (
            f"takes no more requests for now (HTTP 429{_wait(error)})",
            "Wait a little and try again.",
        )
    elif status >= 500:
        what, remedy = f"failed (HTTP {status})", "Try again later."
    return _at(route, what, said, remedy)


def _about_the_key(route: Route) -> str:
    if route.api_key_env:
        return f"Check the key in {route.api_key_env}, and that it may use {route.model!r}."
    return "Name the variable that holds this server's key: vibeos config set model.api_key_env NAME"


def _connection(error: ModelConnectionError, route: Route) -> ModelRequestError:
    reason = f": {preview(_deepest(error))}"
    if error.phase != "connect":
        return _at(route, "closed the connection before its answer was complete", reason, "Try again.")
    remedy = "Check the network, and model.base_url."
    if route.is_loopback:
        remedy = "Start the server there, or set model.base_url to where it is."
    return ModelRequestError(f"Nothing answers at {route.address}{reason}", remedy=remedy)


def _at(route: Route, what: str, said: str, remedy: str) -> ModelRequestError:
    return ModelRequestError(f"{route.address} {what}{said}", remedy=remedy)


def _is_overflow(error: Exception, said: str) -> bool:
    if not isinstance(error, ModelAPIError) or getattr(error, "status_code", 400) not in _TOO_LONG_STATUSES:
        return False
    return isinstance(error, ModelContextWindowExceededError) or _TOO_LONG.search(said) is not None


def _is_about_the_model(error: ModelHTTPError, route: Route, said: str) -> bool:
    return error.provider_error_code == "model_not_found" or (route.model in said and "model" in said.lower())


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
    cause = error.__cause__
    return preview(cause.response.headers.get("location", "")) if isinstance(cause, APIStatusError) else ""


def _deepest(error: BaseException) -> str:
    """The first cause that has something to say: the operating system's reason, not the library's summary."""
    reason = str(error)
    cause = error.__cause__ or error.__context__
    while cause is not None:
        reason = str(cause) or reason
        cause = cause.__cause__ or cause.__context__
    return reason
