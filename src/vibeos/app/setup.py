"""Choosing a model: what a server offers, a test request, saving the choice. The key itself is never saved or shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vibeos.values.errors import ModelNotConfiguredError, ModelRequestError

if TYPE_CHECKING:
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.models.route import Route

TEST_QUESTION = "Answer with one short sentence: are you there?"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_KEY_BEGINNINGS = ("sk_", "pk_", "gsk_", "ghp_", "hf_", "xai_", "aiza")
_LONG_FOR_A_NAME = 24


@dataclass(frozen=True, slots=True)
class Choice:
    """A model and how it is reached. `api_key_env` is the name of a variable; empty: the provider's usual one."""

    provider: str
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""

    @property
    def name(self) -> str:
        """As `model.name` is written."""
        return self.provider if self.provider == "rehearsal" else f"{self.provider}:{self.model}"

    def route(self) -> Route:
        """Raises ModelNotConfiguredError where it cannot be one."""
        from vibeos.ports.models.route import parse_route

        return parse_route(self.name, base_url=self.base_url, api_key_env=self.api_key_env)


def require_person(app: VibeOS) -> None:
    """Raise VibeOSError in an agent's shell, before a key of the person's goes to an address that it chose."""
    app.environment.require_person("choose the model")


def who_serves(answer: str) -> Choice:
    """A provider's name, or the address of a server that speaks like OpenAI. Raises ModelNotConfiguredError."""
    from vibeos.ports.models.route import PROVIDERS

    given = answer.strip()
    if given.lower() in PROVIDERS:
        return Choice(given.lower())
    if "://" not in given and not re.search(r"[.:/]", given):
        raise ModelNotConfiguredError(
            f"{given[:60]!r} is neither a provider nor an address",
            remedy=f"The providers are {', '.join(PROVIDERS)}; an address begins with http:// or https://.",
        )
    address = given if "://" in given else f"http://{given}"
    choice = Choice("openai", base_url=address)
    return replace(choice, base_url=_unnamed(choice).route().base_url)  # what cannot be an address stops here


def is_variable_name(text: str) -> bool:
    """Whether this is the name of a variable and not, as far as one can see, the key itself."""
    if not _NAME.fullmatch(text) or text.lower().startswith(_KEY_BEGINNINGS):
        return False
    mixed = any(c.islower() for c in text) and any(c.isupper() or c.isdigit() for c in text)
    return not (mixed and len(text) >= _LONG_FOR_A_NAME)


def key_of(app: VibeOS, choice: Choice) -> str:
    """What the choice's variable holds; empty where nothing does."""
    variable = variable_of(choice)
    return app.environment.get(variable).strip() if variable else ""


def variable_of(choice: Choice) -> str:
    """The variable that the key comes from, its usual name where none was chosen."""
    return _unnamed(choice).route().api_key_env


def offered(app: VibeOS, choice: Choice) -> tuple[Choice, tuple[str, ...]]:
    """The models that the server says it has. Raises ModelError where it does not say.

    The choice comes back too: with `/v1` behind an address without a path, if the server answers only there.
    """
    require_person(app)
    try:
        return choice, _listed(app, choice)
    except ModelRequestError:
        if "/" in choice.base_url.partition("://")[2] or not choice.base_url:
            raise
        longer = replace(choice, base_url=f"{choice.base_url}/v1")
        return longer, _listed(app, longer)


def _listed(app: VibeOS, choice: Choice) -> tuple[str, ...]:
    import asyncio

    from vibeos.ports.models.offers import offered_models

    route, key = _unnamed(choice).route(), key_of(app, choice)
    if route.needs_key and not key:
        raise ModelRequestError(f"{route.api_key_env or 'the key'} is not set")
    return asyncio.run(offered_models(route, key))


def _unnamed(choice: Choice) -> Choice:
    """The choice before a model is chosen, as one that has an address."""
    return choice if choice.model else replace(choice, model="any")


def try_out(app: VibeOS, choice: Choice) -> str:
    """The model's answer to one short question. Raises ModelError."""
    require_person(app)
    import asyncio

    from vibeos.ports.models import open_model, user_request
    from vibeos.ports.models.model import Deaf, Request

    async def ask() -> str:
        model = open_model(choice.route(), key_of(app, choice))
        try:
            reply = await model.ask(Request("", (), [user_request(TEST_QUESTION)]), Deaf())
        finally:
            await model.close()
        return reply.text

    return asyncio.run(ask())


def save(app: VibeOS, choice: Choice) -> tuple[tuple[str, str], ...]:
    """Write the choice into config.yaml; each setting with its new value, empty where it was taken out."""
    require_person(app)
    wanted = {
        "model.base_url": choice.base_url,
        "model.api_key_env": choice.api_key_env,
        "model.name": choice.name,
    }
    changed = []
    for setting, value in wanted.items():
        if value:
            app.settings.set(setting, value)
            changed.append((setting, value))
        elif app.settings.unset(setting):
            changed.append((setting, ""))
    return tuple(changed)
