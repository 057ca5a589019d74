"""The rows for git: history that others share, work that is not committed, programs that git would run by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.guard.danger.paths import everything_here
from vibeos.ports.guard.danger.rows import DangerRule

if TYPE_CHECKING:
    from vibeos.ports.guard.danger.calls import Call

_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_RUNNING = (
    "core.hookspath",
    "core.sshcommand",
    "core.fsmonitor",
    "init.templatedir",
    "include.path",
    "includeif.",
)
_FILTERS = (".clean", ".smudge", ".process", ".textconv", ".driver")
_ASKING = ("--get", "--unset", "--list", "--remove-section", "--show-origin")


def _git(call: Call) -> tuple[str, list[str]]:
    """The git command and its words, behind the options that stand before it."""
    at = 0
    while at < len(call.args) and call.args[at].startswith("-"):
        at += 2 if call.args[at] in _VALUED else 1
    return (call.args[at], call.args[at + 1 :]) if at < len(call.args) else ("", [])


def _pushes_by_force(call: Call) -> bool:
    command, words = _git(call)
    given = call._replace(args=words)
    return command == "push" and (
        given.has("", "--force", "--mirror", "--delete", "--prune")
        or given.has_short("fd")
        or any(word.startswith(("+", ":")) for word in given.operands)
    )


def _discards_work(call: Call) -> bool:
    command, words = _git(call)
    given = call._replace(args=words)
    if command == "reset":
        return given.has("", "--hard")
    if command == "clean":
        return given.has("f", "--force") and not given.has("n", "--dry-run")
    if command == "stash":
        return words[:1] in (["drop"], ["clear"])
    if command == "restore" and given.has("S", "--staged") and not given.has("W", "--worktree"):
        return False
    if command in {"checkout", "switch", "restore"}:
        forced = command != "restore" and given.has("f", "--force", "--discard-changes")
        return forced or (command != "switch" and any(everything_here(path) for path in given.operands))
    return False


def _rewrites_history(call: Call) -> bool:
    command, words = _git(call)
    given = call._replace(args=words)
    if command == "branch":
        return given.has("D") or (given.has("d", "--delete") and given.has("f", "--force"))
    if command == "reflog":
        return words[:1] in (["expire"], ["delete"])
    return (command == "update-ref" and given.has("d")) or command in {"filter-branch", "filter-repo"}


def _runs_by_itself(call: Call) -> bool:
    """`git config` with a setting that makes git start a program of the setting's choice."""
    command, words = _git(call)
    given = call._replace(args=words)
    if command != "config" or any(option.startswith(_ASKING) for option in given.options):
        return False
    name, value = ([word for word in given.operands if word != "set"] + ["", ""])[:2]
    name = name.casefold()
    if not value or value.casefold() in {"true", "false"} or given.starts("get") or given.starts("unset"):
        return False
    return name.startswith(_RUNNING) or name.endswith(_FILTERS) or value.startswith("!")


GIT_RULES: tuple[DangerRule, ...] = (
    DangerRule(
        "git.force",
        "overwrites or deletes history that others share",
        (
            "git push --force",
            "git push -f origin main",
            "git push origin +main",
            "git -C x push --mirror",
            "git push origin :x",
        ),
        ("git push", "git push --force-with-lease", "git push -u origin main", "git fetch --force"),
        _pushes_by_force,
        ("git",),
    ),
    DangerRule(
        "git.discard",
        "throws away work that is not committed",
        (
            *("git reset --hard", "git clean -fdx", "git checkout .", "git checkout -- .", "git restore ."),
            *("git stash drop", "git stash clear", "git reset --hard HEAD~1"),
        ),
        (
            *(
                "git reset HEAD~1",
                "git clean -n",
                "git clean -nfd",
                "git checkout main",
                "git restore --staged .",
            ),
            *("git stash", 'git commit -m "reset --hard is gone"'),
        ),
        _discards_work,
        ("git",),
    ),
    DangerRule(
        "git.rewrite",
        "deletes a branch that is not merged, or rewrites the history",
        (
            "git branch -D x",
            "git branch -d -f x",
            "git filter-branch --all",
            "git filter-repo --path x",
            "git reflog expire --all",
        ),
        ("git branch -d x", "git branch", "git log --branches"),
        _rewrites_history,
        ("git",),
    ),
    DangerRule(
        "git.runs",
        "makes git run a program by itself from now on",
        (
            "git config core.hooksPath /tmp/h",
            "git config --global core.sshCommand 'ssh -i x'",
            "git config alias.st '!sh x'",
            "git config set core.fsmonitor ./watch",
            "git config --global init.templateDir ~/t",
        ),
        (
            *(
                "git config user.name sam",
                "git config --get core.hooksPath",
                "git config --unset core.hooksPath",
            ),
            *("git config core.fsmonitor true", "git config alias.st status", "git config --list"),
        ),
        _runs_by_itself,
        ("git",),
    ),
)
