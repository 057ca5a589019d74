"""`vibeos completion`: scripts that a shell takes, and completing stays light."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.program import Program

HEAVY = {"asyncio", "apsw", "pydantic", "pydantic_ai", "rich", "prompt_toolkit", "yaml12", "subprocess"}

PROBE = """
import sys
from vibeos.surfaces.cli.main import cli
try:
    cli.main([], prog_name="vibeos", standalone_mode=False)
except SystemExit:
    pass
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_serves_both_names_and_says_how_to_keep_it(program: Program, shell: str) -> None:
    script = program.run("completion", shell).stdout
    assert script.startswith("# To keep it: ")
    assert "_VIBEOS_COMPLETE" in script
    assert "_VIBE_COMPLETE" in script


def test_bash_completes_a_command_of_ours(program: Program, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    command = tmp_path / "vibeos"
    command.write_text(f"#!{sys.executable}\nfrom vibeos.surfaces.cli.start import run\nrun()\n")
    command.chmod(0o755)
    script = tmp_path / "completion.sh"
    script.write_text(program.run("completion", "bash").stdout)
    test = f"""
        source {script}
        COMP_WORDS=(vibeos mem); COMP_CWORD=1
        _vibeos_completion vibeos
        echo "${{COMPREPLY[@]}}"
        complete -p vibe
    """
    path = f"{tmp_path}:{program.environment['PATH']}"
    done = subprocess.run(
        [bash, "--norc", "-c", test], env=program.environment | {"PATH": path}, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.stdout.splitlines()[0] == "memory", done.stderr
    assert "_vibe_completion" in done.stdout


def test_completing_a_command_imports_nothing_heavy(program: Program) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=program.environment
        | {"_VIBEOS_COMPLETE": "bash_complete", "COMP_WORDS": "vibeos ", "COMP_CWORD": "1"},
        cwd=program.folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert {"plain,chat", "plain,setup"} <= set(done.stdout.splitlines())
    assert sorted(HEAVY & set(done.stderr.splitlines())) == []
