"""The variables of an agent's commands: the person's, without the keys of models, with our own commands found first.

A command, and what it runs, has no use for a model's key, and what it prints a model reads. Other credentials stay:
what the person can do in a shell, such as `gh`, the agent shall be able to do.

`vibe` and `vibeos` mean this program, whatever else of that name is installed. The folder of our own interpreter would
bring a whole virtual environment's `python` with it, so they have a folder of their own in the home, with nothing else.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from vibeos.ports.guard.files import atomic_write, read_bytes
from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.values.config import Config
    from vibeos.values.home import Scope

COMMANDS = ("vibe", "vibeos")
_VENDORS = (
    "ANTHROPIC AZURE AZURE_OPENAI CEREBRAS CO COHERE DASHSCOPE DEEPSEEK FIREWORKS GEMINI GOOGLE GOOGLE_GENERATIVE_AI GROQ "
    "MINIMAX MISTRAL MOONSHOT MOONSHOTAI NVIDIA OPENAI OPENROUTER PERPLEXITY TOGETHER VERCEL_AI_GATEWAY XAI ZAI ZHIPUAI"
)
MODEL_KEYS = frozenset(
    {*(f"{vendor}_API_KEY" for vendor in _VENDORS.split()), "ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY"}
)


def shell_variables(scope: Scope, variables: Mapping[str, str], config: Config) -> dict[str, str]:
    """What a command of an agent in this home and profile gets, made of the person's variables."""
    given = dict(variables)
    if config.text("agent.shell_variables") != "all":
        for name in (*MODEL_KEYS, config.text("model.api_key_env")):
            given.pop(name, None)
    given["VIBEOS_HOME"] = os.path.abspath(scope.root)
    path = given.get("PATH", os.defpath)
    ours = _commands_folder(os.path.join(os.path.abspath(scope.home), "bin"))
    given["PATH"] = os.pathsep.join([ours, path]) if ours else f"{path}{os.pathsep}{_beside_python()}"
    return given


def _commands_folder(folder: str) -> str:
    """The folder that holds our commands and nothing else, made or mended; empty where that cannot be."""
    if not sys.executable or os.name != "posix":
        return ""
    # -P: a folder called `vibeos` where the command runs is not the program.
    script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m vibeos "$@"\n'.encode()
    try:
        for name in COMMANDS:
            path = os.path.join(folder, name)
            if read_bytes(path) != script or not os.access(path, os.X_OK):
                atomic_write(path, script, durable=False, new_mode=0o700)
                os.chmod(path, 0o700)
    except (FileAccessError, OSError):  # a home that cannot be written: they are found last then
        return ""
    return folder


def _beside_python() -> str:
    return os.path.dirname(sys.executable)
