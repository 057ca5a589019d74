"""`vibeos sessions checkpoints`: what checkpoints a session made, what each says, and how two of them differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vibeos.surfaces.cli.common import as_json_option, opened, print_json, printable

if TYPE_CHECKING:
    from vibeos.app.checkpoints import Tried


@click.command("checkpoints")
@click.argument("session")
@click.option(
    "--show", "shown", type=click.IntRange(1), metavar="N", help="One attempt whole, with its parts."
)
@click.option(
    "--diff",
    "compared",
    type=(click.IntRange(1), click.IntRange(1)),
    metavar="A B",
    help="What changed from A to B.",
)
@as_json_option
@click.pass_context
def command(
    ctx: click.Context, *, session: str, shown: int | None, compared: tuple[int, int] | None, as_json: bool
) -> None:
    """List a session's checkpoints: every attempt, its size, requests, problems and how they were settled.

    A checkpoint stands in for the older part of a long conversation. They are made without a word; this is for those
    who want to look.
    """
    if shown and compared:
        raise click.UsageError("--show and --diff exclude each other.")
    with opened(ctx) as app:
        if compared:
            one, other = (app.checkpoints.one(session, number) for number in compared)
            _print_diff(one, other, as_json=as_json)
        elif shown:
            _print_one(app.checkpoints.one(session, shown), as_json=as_json)
        else:
            _print_list(app.checkpoints.tried(session), as_json=as_json)


def _print_list(tried: tuple[Tried, ...], *, as_json: bool) -> None:
    if as_json:
        print_json([_attempt_dict(one) for one in tried])
        return
    if not tried:
        click.echo("No checkpoints: this session has always fitted into its model.")
        return
    click.echo(f"{'no':>3}  {'ended (UTC)':<16}  {'how':<7}  {'tokens':>17}  {'asked':>5}  outcome")
    for one in tried:
        attempt = one.attempt
        sizes = (
            f"{attempt.size_before:,} → {attempt.size_after:,}"
            if attempt.is_made
            else f"{attempt.size_before:,}"
        )
        problems = f", {'; '.join(settled)}" if (settled := _settled(attempt.problems)) else ""
        outcome = f"made{problems}" if attempt.is_made else f"failed: {printable(attempt.reason)}"
        click.echo(
            f"{attempt.number:>3}  {attempt.ended_at[:16].replace('T', ' ')}  {attempt.mode.value:<7}  {sizes:>17}  "
            f"{attempt.requests:>5}  {outcome}"
        )


def _settled(problems: tuple[str, ...]) -> list[str]:
    """What the program did about problems that the model did not mend."""
    return [printable(one.removeprefix("settled: ")) for one in problems if one.startswith("settled: ")]


def _print_one(tried: Tried, *, as_json: bool) -> None:
    if as_json:
        print_json(_attempt_dict(tried, whole=True))
        return
    attempt, made = tried.attempt, tried.made
    click.echo(f"attempt {attempt.number}, {attempt.mode.value}, {attempt.started_at} to {attempt.ended_at}")
    click.echo(
        f"model {printable(attempt.model)}, {attempt.requests} requests, {_sizes(attempt.usage) or 'usage unknown'}"
    )
    if attempt.reason:
        click.echo(f"failed: {printable(attempt.reason)}")
    for problem in attempt.problems:
        click.echo(printable(problem if problem.startswith("settled: ") else f"problem: {problem}"))
    if made is None:
        return
    click.echo(f"covers messages up to #{made.covers}; {_sizes(made.sizes)}")
    for title, text in tried.parts.items():
        click.echo(f"\n--- {title}\n{printable(text)}")


def _print_diff(one: Tried, other: Tried, *, as_json: bool) -> None:
    from difflib import unified_diff

    parts = [one.parts, other.parts]
    lines = {
        title: [
            line.rstrip("\n")
            for line in unified_diff(
                parts[0].get(title, "").splitlines(),
                parts[1].get(title, "").splitlines(),
                f"{title} of {one.attempt.number}",
                f"{title} of {other.attempt.number}",
                n=1,
                lineterm="",
            )
        ]
        for title in {**parts[0], **parts[1]}
    }
    if as_json:
        print_json(lines)
        return
    changed = [printable(line) for found in lines.values() for line in found]
    click.echo("\n".join(changed) if changed else "They say the same.")


def _sizes(sizes: Any) -> str:
    return ", ".join(f"{name} {size:,}" for name, size in sizes.items())


def _attempt_dict(tried: Tried, *, whole: bool = False) -> dict[str, Any]:
    attempt, made = tried.attempt, tried.made
    found: dict[str, Any] = {
        "number": attempt.number,
        "mode": attempt.mode.value,
        "made": attempt.is_made,
        "reason": attempt.reason or None,
        "problems": list(attempt.problems),
        "requests": attempt.requests,
        "usage": dict(attempt.usage),
        "size_before": attempt.size_before,
        "size_after": attempt.size_after,
        "model": attempt.model,
        "started_at": attempt.started_at,
        "ended_at": attempt.ended_at,
    }
    if made is not None:
        found |= {"covers": made.covers, "sizes": dict(made.sizes)}
    return {**found, "parts": tried.parts} if whole else found
