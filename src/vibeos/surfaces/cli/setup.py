"""`vibeos setup`: choose a model in three questions, try it, save the choice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vibeos.surfaces.cli.common import as_json_option, has_terminal, opened, print_json, printable
from vibeos.values.errors import VibeOSError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.app.setup import Choice
    from vibeos.app.vibeos import VibeOS

_T = TypeVar("_T")

_MOST_OFFERED = 20


@click.command("setup")
@click.option("--provider", metavar="NAME", help="openai, anthropic, local or rehearsal.")
@click.option("--base-url", metavar="URL", help="A server that speaks like OpenAI.")
@click.option("--model", metavar="NAME", help="The model, as its server calls it; for local, the file.")
@click.option(
    "--api-key-env", metavar="NAME", help="The variable that holds the key: its name, never the key."
)
@click.option("--no-test", is_flag=True, help="Save without asking the model first.")
@as_json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    provider: str | None,
    base_url: str | None,
    model: str | None,
    api_key_env: str | None,
    no_test: bool,
    as_json: bool,
) -> None:
    """Choose the model that answers: three questions, a test request, and the choice is saved.

    With --provider or --base-url, and --model, nothing is asked: for scripts. A test request that fails then saves
    nothing (exit status 3).
    """
    with opened(ctx) as app:
        if provider or base_url:
            choice = _given(provider, base_url, model, api_key_env)
            _save_tested(app, choice, tests=not no_test, as_json=as_json)
        elif as_json or not has_terminal():
            raise click.UsageError("Nobody can be asked here: give --provider or --base-url, and --model.")
        elif not ask_and_save(app, tests=not no_test):
            ctx.exit(1)


def _given(provider: str | None, base_url: str | None, model: str | None, api_key_env: str | None) -> Choice:
    from vibeos.app.setup import is_variable_name, who_serves

    choice = who_serves(base_url or provider or "")
    choice = replace(choice, provider=(provider or choice.provider).lower())
    if choice.provider != "rehearsal" and not model:
        raise click.UsageError("--model is missing.")
    if api_key_env and not is_variable_name(api_key_env):
        raise click.UsageError("--api-key-env wants the name of a variable, never the key itself.")
    return replace(choice, model=model or "", api_key_env=api_key_env or "")


def _save_tested(app: VibeOS, choice: Choice, *, tests: bool, as_json: bool) -> None:
    from vibeos.app.setup import save, try_out

    choice.route()
    answer = try_out(app, choice) if tests else None
    changed = save(app, choice)
    if as_json:
        print_json(_as_dict(app, choice, answer))
    else:
        _say_saved(app, changed)


def _as_dict(app: VibeOS, choice: Choice, answer: str | None) -> dict[str, Any]:
    return {
        "path": app.settings.path,
        "model.name": choice.name,
        "model.base_url": choice.base_url or None,
        "model.api_key_env": choice.api_key_env or None,
        "test_answer": answer,
    }


def ask_and_save(app: VibeOS, *, tests: bool = True) -> bool:
    """The three questions, the test and the saving; whether it was saved. Ctrl-C and Ctrl-D leave without a trace."""
    from vibeos.app.setup import save

    choice = _ask_for_choice(app)
    if tests and not _passes(app, choice):
        click.echo(app.catalogue.text("setup.not_saved"))
        return False
    _say_saved(app, save(app, choice))
    return True


def _ask_for_choice(app: VibeOS) -> Choice:
    from vibeos.app.setup import who_serves

    choice = _asked(app, "setup.who", who_serves)
    if choice.provider == "rehearsal":
        return choice
    if choice.provider == "local":
        return replace(choice, model=_asked(app, "setup.file", _unchanged))
    choice = _ask_for_key(app, choice)
    return _ask_for_model(app, choice)


def _ask_for_key(app: VibeOS, choice: Choice) -> Choice:
    from vibeos.app.setup import is_variable_name, key_of, variable_of

    usual = variable_of(choice) or app.catalogue.text("setup.no_key")
    click.echo(app.catalogue.text("setup.key", usual=usual))
    while (typed := _typed()) and not is_variable_name(typed):
        click.echo(app.catalogue.text("setup.not_a_name"))
    choice = replace(choice, api_key_env=typed)
    if (variable := variable_of(choice)) and not key_of(app, choice):
        click.echo(app.catalogue.text("setup.key_missing", variable=variable))
    return choice


def _ask_for_model(app: VibeOS, choice: Choice) -> Choice:
    choice, names = _offered(app, choice)

    def chosen(typed: str) -> Choice:
        is_number = typed.isdecimal() and typed not in names and 1 <= int(typed) <= len(names)
        with_model = replace(choice, model=names[int(typed) - 1] if is_number else typed)
        with_model.route()
        return with_model

    return _asked(app, "setup.model", chosen)


def _offered(app: VibeOS, choice: Choice) -> tuple[Choice, tuple[str, ...]]:
    from vibeos.app.setup import offered

    try:
        choice, names = offered(app, choice)
    except VibeOSError as error:
        click.echo(app.catalogue.text("setup.cannot_list", reason=printable(preview(error.message, 200))))
        return choice, ()
    if names:
        click.echo(app.catalogue.text("setup.offers"))
    for number, name in enumerate(names[:_MOST_OFFERED], 1):
        click.echo(f"{number:>3}. {printable(name)}")
    if len(names) > _MOST_OFFERED:
        click.echo(app.catalogue.text("setup.offers_more", count=len(names) - _MOST_OFFERED))
    return choice, names


def _passes(app: VibeOS, choice: Choice) -> bool:
    """Whether the model answers, or the person wants it saved all the same."""
    from vibeos.app.setup import try_out

    click.echo(app.catalogue.text("setup.testing", model=choice.name))
    try:
        answer = try_out(app, choice)
    except VibeOSError as error:
        click.echo(app.catalogue.text("setup.test_failed", reason=printable(str(error))))
        click.echo(f"{app.catalogue.text('setup.save_anyway')} {app.catalogue.text('setup.yes_no')}")
        return _typed().casefold() in app.catalogue.text("chat.yes_words").split()
    click.echo(app.catalogue.text("setup.test_passed", answer=printable(preview(answer, 200))))
    return True


def _say_saved(app: VibeOS, changed: tuple[tuple[str, str], ...]) -> None:
    click.echo(app.catalogue.text("setup.saved", path=printable(app.settings.path)))
    for name, value in changed:
        click.echo(f"  {name}: {printable(value) or app.catalogue.text('setup.removed')}")
    click.echo(app.catalogue.text("setup.next"))


def _asked(app: VibeOS, key: str, accept: Callable[[str], _T]) -> _T:
    """Ask until the answer is accepted; what is wrong with one is said."""
    click.echo(app.catalogue.text(key))
    while True:
        typed = _typed()
        if not typed:
            click.echo(app.catalogue.text("setup.needed"))
            continue
        try:
            return accept(typed)
        except VibeOSError as error:
            click.echo(printable(str(error)))


def _unchanged(text: str) -> str:
    return text


def _typed() -> str:
    with suppress(ImportError):
        import readline  # noqa: F401 - gives input() its line editing
    try:
        return input("> ").strip()
    except EOFError:
        raise click.Abort from None
