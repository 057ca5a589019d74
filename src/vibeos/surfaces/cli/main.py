"""The `vibeos` command. Start-up is a feature: a command's module is imported when the command runs.

Exit codes: 0 done; 1 refused or failed; 2 wrong usage or configuration; 3 the model could not be asked;
130 interrupted.
"""

from __future__ import annotations

import sys

import click

from vibeos.values.errors import VibeOSError

# Every command with its module and its line in the help, so that `--help` imports none of them.
COMMANDS = {
    "bench": ("bench", "Measure what is promised: checkpoints."),
    "chat": ("chat", "Talk with the agent; it remembers."),
    "completion": ("completion", "Print the completion script for bash, zsh or fish."),
    "config": ("config", "Read and change the configuration."),
    "data": ("data", "Query the record with SQL, read only."),
    "doctor": ("doctor", "Check files, database and configuration."),
    "memory": ("memory", "Core and User memory: status, show, add, replace, remove."),
    "project": ("project", "Which folder a session belongs to."),
    "questions": ("questions", "What the agent asked while nobody was there: list, answer."),
    "sessions": ("sessions", "Past sessions: list, show, rename, export, delete, checkpoints."),
    "setup": ("setup", "Choose the model that answers, and try it."),
    "skill": ("skill", "Written ways of doing a task: list, load, path."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        module = import_module(f"vibeos.surfaces.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: object) -> None:
    if not value or ctx.resilient_parsing:
        return
    from vibeos._version import __version__

    click.echo(f"vibeos {__version__}")
    ctx.exit()


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option("--home", metavar="FOLDER", help="The home folder (default: VIBEOS_HOME, or ~/.vibeos).")
@click.option("--profile", metavar="NAME", help="An isolated set of files in the home.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@click.pass_context
def cli(ctx: click.Context, home: str | None, profile: str | None) -> None:
    """An agent whose memory survives: inside one long task, and across tasks.

    The memory, record and configuration commands work without a model.
    """
    ctx.obj = {"home": home, "profile": profile or ""}


def run() -> None:
    """The entry point of both commands."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        code = 130
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except VibeOSError as error:
        code = _refused(error)
    except BrokenPipeError:
        code = _silenced()
    except OSError as error:
        code = _cannot_print(error)
    except Exception as error:  # noqa: BLE001 - the process's edge: nothing above it could tell the person
        code = _crashed(error)
    sys.exit(code if isinstance(code, int) else 0)


def _refused(error: VibeOSError) -> int:
    """The error in words; for a program that asked for JSON, as JSON on standard output too."""
    if "--json" in sys.argv[1:]:
        from vibeos.surfaces.cli.common import print_json

        print_json({"error": error.message, "remedy": error.remedy or None, "exit_code": error.exit_code})
    click.echo(f"error: {error}", err=True)
    return error.exit_code


def _crashed(error: Exception) -> int:
    """A fault of our own: the person gets one line and where the rest is kept."""
    from vibeos.surfaces.cli.crash import keep_report

    where = keep_report(error, cli.name or "vibeos")
    click.echo(f"internal error: {type(error).__name__}: {error}\n{where}", err=True)
    return 1


def _cannot_print(error: OSError) -> int:
    """Every file of the home has its own error; what is left is the output itself."""
    click.echo(f"error: cannot write the output: {error.strerror or error}", err=True)
    return _silenced() or 1


def _silenced() -> int:
    """The reader of our output has gone (`| head`): nothing to say, and nobody to say it to."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    run()
