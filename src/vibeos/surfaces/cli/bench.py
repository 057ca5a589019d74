"""`vibeos bench`: benchmarks that anybody can run to see what is promised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vibeos.surfaces.cli.common import as_json_option, opened, print_json
from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from vibeos.bench.checkpoints.runs import Outcome
    from vibeos.ports.models.model import Model

ARMS = ("ours", "rewrite", "merge", "user words", "tail", "everything")
TAKERS = ("oracle", "lazy", "lossy", "gullible", "malformed", "evictor")
LEAST_WINDOW = 16_000


@click.group("bench")
def command() -> None:
    """Run a benchmark on this machine. Nothing of your home is used; it works without a model and without a key."""


@command.command("checkpoints")
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="How many checkpoints the work is long.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the world and of the note-takers.")
@click.option("--language", type=click.Choice(["en", "ru", "zh"]), default="en", show_default=True)
@click.option(
    "--window",
    type=click.IntRange(LEAST_WINDOW),
    default=192_000,
    show_default=True,
    help="Of the model, in tokens.",
)
@click.option(
    "--arm", "arms", multiple=True, type=click.Choice(ARMS), help="Only this way (several times for more)."
)
@click.option(
    "--note-taker",
    "takers",
    multiple=True,
    type=click.Choice(TAKERS),
    help="Only this one (several for more).",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for results.json and curves.png.",
)
@click.option(
    "--model", "model_name", metavar="NAME", help="Let this model write our checkpoints (it is paid for)."
)
@as_json_option
@click.pass_context
def checkpoints(
    ctx: click.Context,
    *,
    rounds: int,
    seed: int,
    language: str,
    window: int,
    arms: tuple[str, ...],
    takers: tuple[str, ...],
    out: Path | None,
    model_name: str | None,
    as_json: bool,
) -> None:
    """Does a conversation keep its goal, the person's words and its place through fifty checkpoints?

    A world from a seed: two queues behind a tool with long outputs, a person who sets twelve rules and allows six things with
    limits, corrects and withdraws, and forgers who speak in their name. Ways of keeping a context are compared in the same
    world; other ways than ours are those that agents use today. Two minutes as it stands.
    """
    import asyncio
    from dataclasses import replace

    from vibeos.bench.checkpoints import report
    from vibeos.bench.checkpoints.runs import Spec, plan, run

    chosen = ("ours",) if model_name else arms or ARMS
    pairs = plan(chosen, ("oracle",) if model_name else takers or TAKERS)
    outcomes: list[Outcome] = []
    for arm, taker in pairs:
        spec = Spec(arm, taker, rounds, seed, language, window)

        def tell(done: int, spec: Spec = spec) -> None:
            click.echo(f"\r{spec.arm} / {spec.note_taker}: {done} of {rounds} ", err=True, nl=False)

        outcome = asyncio.run(run(spec, tell=tell, model=_model(ctx, model_name)))
        if model_name:
            outcome.spec = replace(spec, note_taker=model_name[-9:])
        outcomes.append(outcome)
        click.echo("", err=True)
    _write(outcomes, out)
    if as_json:
        print_json([outcome.as_json() for outcome in outcomes])
    else:
        click.echo(report.table(outcomes))


def _model(ctx: click.Context, name: str | None) -> Model | None:
    if not name:
        return None
    with opened(ctx) as app:
        return app.chat.open_model(name)


def _write(outcomes: list[Outcome], out: Path | None) -> None:
    if out is None:
        return
    from vibeos.bench.checkpoints import report

    try:
        out.mkdir(parents=True, exist_ok=True)
        report.write_json(outcomes, out / "results.json")
    except OSError as error:
        raise VibeOSError(
            f"the results cannot be written to {str(out)!r}: {error.strerror}", remedy="Choose another --out."
        ) from error
    try:
        report.draw(outcomes, out / "curves.png")
    except ImportError:
        click.echo("No picture: matplotlib is not installed (pip install 'vibeos[bench]').", err=True)
