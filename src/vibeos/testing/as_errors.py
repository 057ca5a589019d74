"""What a model over the network raises, for a fault of a script that is played without one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vibeos.ports.models.overflow import is_overflow
from vibeos.values.errors import (
    ContextOverflowError,
    ModelRequestError,
    ModelUnavailableError,
    StreamBrokenError,
)

if TYPE_CHECKING:
    from vibeos.ports.models.route import Route
    from vibeos.testing.steps import Fault

_PASSING = frozenset({408, 409, 425, 429})


def as_error(fault: Fault, route: Route) -> ModelRequestError:
    """The error for a refusal: too long, not now, or no."""
    error = _told(fault)
    said = _sentence(error)
    codes = tuple(one for one in (error.get("code"), error.get("type")) if isinstance(one, str))
    if is_overflow(status=fault.status, codes=codes, sentence=said):
        return ContextOverflowError(
            f"The request is too long for {route.name!r}: {said!r}", remedy="Begin a new session."
        )
    what = f"{route.address} refused the request (HTTP {fault.status}): {said!r}"
    if fault.status in _PASSING or fault.status >= 500:
        asked = {name.lower(): value for name, value in fault.headers.items()}.get("retry-after")
        wait = float(asked) if asked else None
        return ModelUnavailableError(what, remedy="Try again later.", retry_after=wait)
    return ModelRequestError(what, remedy="This is what the script says.")


def broke_off(route: Route) -> StreamBrokenError:
    """The error for an answer that did not reach its end."""
    return StreamBrokenError(
        f"{route.address} closed the connection before its answer was complete", remedy="Try again."
    )


def closed(route: Route) -> ModelUnavailableError:
    """The error for a connection that closed without an answer."""
    return ModelUnavailableError(
        f"{route.address} closed the connection without an answer", remedy="Try again."
    )


def _told(fault: Fault) -> dict[str, Any]:
    """The object that tells of the error; a body of any other form is one sentence."""
    if fault.body is None:
        return {"message": fault.message, "code": fault.code, "type": fault.kind}
    text = fault.body.decode(errors="replace")
    try:
        value = json.loads(text)
    except ValueError:
        return {"message": text}
    inner = value.get("error", value) if isinstance(value, dict) else text
    return inner if isinstance(inner, dict) else {"message": str(inner)}


def _sentence(error: dict[str, Any]) -> str:
    message = error.get("message")
    return message if isinstance(message, str) else json.dumps(error)
