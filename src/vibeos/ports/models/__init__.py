"""The model port: routes, elements of a conversation, one question to a model. Imports of this package are light.

Everything below is loaded when it is first touched, because the library behind it takes a second to import;
`Route`, `parse_route` and the tool values never load it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vibeos.ports.models.check import Fault, FaultKind, check_request, find_fault
    from vibeos.ports.models.limits import resolve_limits
    from vibeos.ports.models.measuring import element_tokens, tools_tokens
    from vibeos.ports.models.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        dump_request,
        dump_response,
        load_request,
        load_response,
        outcomes_in,
        outcomes_request,
        response_text,
        response_usage,
        tool_calls,
        user_request,
    )
    from vibeos.ports.models.model import Deaf, Listener, Model, Request
    from vibeos.ports.models.network import NetworkModel
    from vibeos.ports.models.opening import open_model
    from vibeos.ports.models.patience import Patience
    from vibeos.ports.models.reply import Finish, Reply, Usage
    from vibeos.ports.models.retrying import Retrying
    from vibeos.ports.models.route import HOW_TO_CONFIGURE, PROVIDERS, Route, parse_route, require_key
    from vibeos.ports.models.tools import ToolCall, ToolOutcome, ToolSpec, dump_outcomes, load_outcomes

__all__ = [
    "HOW_TO_CONFIGURE",
    "PROVIDERS",
    "Deaf",
    "Fault",
    "FaultKind",
    "Finish",
    "Listener",
    "Model",
    "ModelMessage",
    "ModelRequest",
    "ModelResponse",
    "NetworkModel",
    "Patience",
    "Reply",
    "Request",
    "Retrying",
    "Route",
    "ToolCall",
    "ToolOutcome",
    "ToolSpec",
    "Usage",
    "check_request",
    "dump_outcomes",
    "dump_request",
    "dump_response",
    "element_tokens",
    "find_fault",
    "load_outcomes",
    "load_request",
    "load_response",
    "open_model",
    "outcomes_in",
    "outcomes_request",
    "parse_route",
    "require_key",
    "resolve_limits",
    "response_text",
    "response_usage",
    "tool_calls",
    "tools_tokens",
    "user_request",
]

_HOMES = {
    "check": ("Fault", "FaultKind", "check_request", "find_fault"),
    "limits": ("resolve_limits",),
    "measuring": ("element_tokens", "tools_tokens"),
    "model": ("Deaf", "Listener", "Model", "Request"),
    "network": ("NetworkModel",),
    "opening": ("open_model",),
    "patience": ("Patience",),
    "reply": ("Finish", "Reply", "Usage"),
    "retrying": ("Retrying",),
    "route": ("HOW_TO_CONFIGURE", "PROVIDERS", "Route", "parse_route", "require_key"),
    "tools": ("ToolCall", "ToolOutcome", "ToolSpec", "dump_outcomes", "load_outcomes"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only when something is really used

    return getattr(import_module(f"{__name__}.{_HOME_OF.get(name, 'messages')}"), name)
