"""`vibeos completion`: the script that lets a shell complete our commands."""

from __future__ import annotations

import click

_NAMES = ("vibeos", "vibe")
_INSTALLING = {
    "bash": "echo 'eval \"$(vibeos completion bash)\"' >> ~/.bashrc",
    "zsh": "echo 'eval \"$(vibeos completion zsh)\"' >> ~/.zshrc",
    "fish": "vibeos completion fish > ~/.config/fish/completions/vibeos.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(_INSTALLING)))
@click.pass_context
def command(ctx: click.Context, *, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash:  echo 'eval "$(vibeos completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(vibeos completion zsh)"' >> ~/.zshrc
    fish:  vibeos completion fish > ~/.config/fish/completions/vibeos.fish
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(f"# To keep it: {_INSTALLING[shell]}")
    for name in _NAMES:
        complete = kind(ctx.find_root().command, {}, name, f"_{name.upper()}_COMPLETE")
        # Bash's own `source` first runs bash to learn its version; whoever asks for the script knows it.
        click.echo(ShellComplete.source(complete))
