"""A route: which model is asked, at which address, and what fits into it. All that the rest of the code knows of one.

A route is a plain value made from the configuration, without the network and without the environment: the
key itself is never in it, only the name of the variable that holds it. Limits that nobody configured are
None until `resolve_limits` has looked them up. Four kinds of route exist: `openai:MODEL` (also every compatible server),
`anthropic:MODEL`, `local:FILE.gguf`, which runs in this process, and `rehearsal`, which needs no model at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.values.errors import ModelNotConfiguredError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from urllib.parse import SplitResult

OPENAI_ADDRESS = "https://api.openai.com/v1"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
ANTHROPIC_ADDRESS = "https://api.anthropic.com/v1"
ANTHROPIC_KEY_VARIABLE = "ANTHROPIC_API_KEY"
PROVIDERS = ("openai", "anthropic", "rehearsal", "local")
HOW_TO_CONFIGURE = """\
vibeos config set model.name openai:MODEL   (or anthropic:MODEL, local:FILE.gguf, rehearsal)
vibeos config set model.base_url URL   (only for another server, such as http://127.0.0.1:8080/v1)
export OPENAI_API_KEY=...   (or ANTHROPIC_API_KEY; for another server name its variable with model.api_key_env)"""

_NETWORK = {
    "openai": (OPENAI_ADDRESS, OPENAI_KEY_VARIABLE),
    "anthropic": (ANTHROPIC_ADDRESS, ANTHROPIC_KEY_VARIABLE),
}
_ENDPOINTS = ("/chat/completions", "/messages")
_PACES = ("", "slow")  # of the rehearsal


@dataclass(frozen=True, slots=True)
class Route:
    """One model at one address. Sizes are in tokens.

    `base_url` is empty for the provider's own address; `max_output_tokens` None leaves the length of an answer to
    the provider; `price_step` is the length of context at which the price rises.
    """

    name: str
    provider: str
    model: str
    base_url: str
    api_key_env: str
    context_window: int | None
    max_output_tokens: int | None
    input_limit: int | None
    price_step: int | None
    images: bool
    thinking: bool

    @classmethod
    def own(
        cls, name: str, *, window: int, max_output: int | None = None, price_step: int | None = None
    ) -> Route:
        """The route of a model that somebody else asks, of which only the sizes matter; raises ModelNotConfiguredError."""
        for what, size in (("window", window), ("max_output", max_output), ("price_step", price_step)):
            _require_positive(what, size)
        return cls(
            name=name,
            provider="own",
            model=name,
            base_url="",
            api_key_env="",
            context_window=window,
            max_output_tokens=max_output,
            input_limit=window,
            price_step=price_step,
            images=False,
            thinking=False,
        )

    @property
    def address(self) -> str:
        """The address that requests go to; empty for a model that runs in this process."""
        return self.base_url or (_NETWORK[self.provider][0] if self.provider in _NETWORK else "")

    @property
    def is_loopback(self) -> bool:
        """Whether the model is on this machine: in this process, or at 127.0.0.0/8, ::1 or localhost."""
        return self.provider not in _NETWORK or _is_loopback(_split(self.address).hostname or "")

    @property
    def needs_key(self) -> bool:
        """Whether a request without a key cannot succeed. Servers on this machine seldom want one."""
        return not self.is_loopback


def parse_route(
    name: str,
    *,
    base_url: str = "",
    api_key_env: str = "",
    context_window: int | None = None,
    max_output_tokens: int | None = None,
    input_limit: int | None = None,
    price_step: int | None = None,
) -> Route:
    """The route that the configuration names, such as `openai:gpt-5`; raises ModelNotConfiguredError.

    Address and key are those of a network route; a model that runs in this process has neither.
    """
    provider, model = _parts(name.strip())
    _require_positive("model.context_window", context_window)
    _require_positive("model.max_output_tokens", max_output_tokens)
    _require_positive("model.input_limit", input_limit)
    _require_positive("model.price_step", price_step)
    is_far = provider in _NETWORK
    address = _checked_address(base_url.strip()) if is_far else ""
    return Route(
        name=f"{provider}:{model}" if model else provider,
        provider=provider,
        model=model,
        base_url=address,
        api_key_env=(api_key_env.strip() or _usual_variable(provider, address)) if is_far else "",
        context_window=context_window,
        max_output_tokens=max_output_tokens,
        input_limit=input_limit or context_window,
        price_step=price_step,
        images=False,
        thinking=True,
    )


def require_key(route: Route, api_key: str) -> str:
    """The key as it is sent: without blanks around it, empty only where none is needed.

    Raises ModelNotConfiguredError, which names the variable and never shows the key.
    """
    key = api_key.strip()
    if not key and (route.needs_key or route.api_key_env):  # a variable that is named is meant
        raise ModelNotConfiguredError(
            f"{route.name!r} at {route.address} needs a key, and {_missing(route)}",
            remedy=f"{_how_to_set(route)}Name the variable that holds the key: vibeos config set model.api_key_env NAME",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelNotConfiguredError(
            f"what {route.api_key_env} holds cannot be a key: it has blanks, line breaks or letters outside ASCII",
            remedy=f"Copy the key again, alone, and set {route.api_key_env} to it.",
        )
    return key


def _missing(route: Route) -> str:
    return f"{route.api_key_env} is not set" if route.api_key_env else "no variable is named that holds one"


def _how_to_set(route: Route) -> str:
    return f"Set it in the environment (export {route.api_key_env}=...). " if route.api_key_env else ""


def _usual_variable(provider: str, base_url: str) -> str:
    """The provider's variable for its own address alone: its key must not go to another server unasked."""
    address, variable = _NETWORK[provider]
    is_own = not base_url or _split(base_url).hostname == _split(address).hostname
    return variable if is_own else ""


def _parts(name: str) -> tuple[str, str]:
    provider, colon, model = name.partition(":")
    if not name:
        raise ModelNotConfiguredError("No model is configured", remedy=HOW_TO_CONFIGURE)
    if provider == "rehearsal":
        return _rehearsal(name, model)
    if not colon:
        raise ModelNotConfiguredError(
            f"{preview(name)!r} does not say who serves the model",
            remedy=f"Write it as {_guess(name)!r}. {_known()}",
        )
    if provider not in PROVIDERS:
        raise ModelNotConfiguredError(
            f"{preview(provider)!r} in {preview(name)!r} is no provider that VibeOS knows",
            remedy=f"Did you mean {_guess(name)!r}? {_known()}",
        )
    return (provider, _file(model)) if provider == "local" else (provider, _model(provider, model))


def _rehearsal(name: str, model: str) -> tuple[str, str]:
    if model.strip() not in _PACES:
        raise ModelNotConfiguredError(
            f"{preview(name)!r} names a model, but the rehearsal is one itself",
            remedy="Write it as 'rehearsal', or 'rehearsal:slow' to have time to interrupt it.",
        )
    return "rehearsal", model.strip()


def _model(provider: str, model: str) -> str:
    if not model or any(character.isspace() or not character.isprintable() for character in model):
        raise ModelNotConfiguredError(
            f"{preview(f'{provider}:{model}')!r} does not name a model",
            remedy=f"Write the model's name after the colon, without blanks: '{provider}:MODEL'.",
        )
    return model


def _file(path: str) -> str:
    """The file's path as it was written; whether it can be opened is seen when it is."""
    if not path.strip() or "\0" in path or "\n" in path:
        raise ModelNotConfiguredError(
            f"{preview(f'local:{path}')!r} does not name a file",
            remedy="Write the path of a GGUF file after the colon: 'local:FILE.gguf'.",
        )
    return path.strip()


def _known() -> str:
    return "A model's name begins with openai:, anthropic: or local:, or is 'rehearsal'"


def _guess(name: str) -> str:
    """What was probably meant by a name without a known provider in front."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for an error

    for mark in (":", "/"):
        head, found, tail = name.partition(mark)
        if close := get_close_matches(head.strip().lower(), PROVIDERS, n=1, cutoff=0.75) if found else []:
            return preview(f"{close[0]}:{tail.strip()}")
    return preview(f"openai:{name}")


def _require_positive(key: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ModelNotConfiguredError(
            f"{key} is {value}", remedy=f"Set {key} to a number of tokens above 0, or leave it out."
        )


def _checked_address(base_url: str) -> str:
    """The address without a slash at its end. What it must not hold would leave in logs or change its meaning."""
    if not base_url:
        return ""
    url = _split(base_url)
    fault = ""
    if url.scheme not in {"http", "https"} or not url.hostname or any(c.isspace() for c in base_url):
        fault = "is not an http or https address"
    elif url.username is not None or url.password is not None:
        fault = "holds a user name or a password; keys come from the environment"
    elif url.query or url.fragment:
        fault = "has a query or a fragment"
    elif url.path.rstrip("/").endswith(_ENDPOINTS):
        fault = f"ends in /{url.path.rstrip('/').rpartition('/')[2]}, which VibeOS adds by itself"
    if fault:
        raise ModelNotConfiguredError(
            f"model.base_url {preview(_without_secrets(base_url))!r} {fault}",
            remedy="Write it like http://127.0.0.1:8080/v1 or https://api.example.com/v1.",
        )
    return base_url.rstrip("/")


def _without_secrets(base_url: str) -> str:
    _, mark, rest = base_url.rpartition("@")
    return f"***@{rest}" if mark else base_url


def _split(address: str) -> SplitResult:
    from urllib.parse import SplitResult, urlsplit  # noqa: PLC0415 - 3 ms that most commands do not need

    try:
        url = urlsplit(address)
        _ = url.port
    except ValueError:
        return SplitResult("", "", "", "", "")
    return url


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address  # noqa: PLC0415 - the same

    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified  # 0.0.0.0 is this machine too
