"""The questions that the rows of the danger table ask about one call. Each is linear in the call's length."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from vibeos.ports.guard.danger.calls import INTERPRETERS, SHELLS
from vibeos.ports.guard.danger.code import emptied_folders, removed_trees
from vibeos.ports.guard.danger.parts import DECODES, DOWNLOADS
from vibeos.ports.guard.danger.paths import (
    disk,
    keys,
    outer,
    own,
    own_folder,
    own_name,
    plain_path,
    start_file,
    system,
    whole,
)

if TYPE_CHECKING:
    from vibeos.ports.guard.danger.calls import Call

__all__ = ["disk", "keys", "own_folder", "own_name", "start_file", "system"]

PUBLISHERS = (
    *(
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "twine",
        "cargo",
        "gem",
        "docker",
        "podman",
        "poetry",
        "uv",
        "flit",
        "hatch",
    ),
    "pdm",
)
_PUBLISHING = (
    *(
        ("publish",),
        ("unpublish",),
        ("upload",),
        ("push",),
        ("npm", "publish"),
        ("image", "push"),
        ("compose", "push"),
    ),
    ("release", "publish"),
)
_FORMATTERS = frozenset(
    {"mkswap", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "wipefs", "blkdiscard", "mke2fs"}
)
_DROPS = re.compile(r"\b(?:drop|truncate)\s+(?:table|database|schema)\b|\btruncate\s+\w", re.IGNORECASE)
_EMPTIES = {
    "dropdb": re.compile(""),
    "redis-cli": re.compile(r"\bflush(?:all|db)\b", re.IGNORECASE),
    "mongo": re.compile(r"\bdrop(?:Database)?\("),
    "mongosh": re.compile(r"\bdrop(?:Database)?\("),
}
_SQL_WRITES = re.compile(
    r"\b(?:insert|update|delete|replace|alter|create|drop|vacuum|attach)\b", re.IGNORECASE
)
_MARK = "VIBEOS_SESSION"
_EVERY_NAME = re.compile(r"[.*^$+]*")
_FINDS_SOME = re.compile(
    r"-(?:i?name|i?path|i?wholename|i?regex|newer\w*|[mac](?:time|min)|empty|size|user|perm)"
)
_KILL_VALUED = frozenset({"-u", "-U", "-s", "-t", "-g", "-G", "-P", "--signal", "--user"})
_KUBE_VALUED = frozenset({"-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s"})


def deletes_outer(call: Call) -> bool:
    if call.name == "rm":
        return call.has("rR", "--recursive") and any(outer(path) for path in call.operands)
    if call.name == "mv":
        return any(whole(path) for path in call.operands[:-1])
    if call.name == "rsync":
        mirrors = any(word.startswith("--del") for word in call.options)
        return mirrors and any(outer(path) and ":" not in path for path in call.operands[-1:])
    return bool(call.code) and any(outer(path) for path in removed_trees(call.code))


def deletes_unseen(call: Call) -> bool:
    if call.code:
        return any(outer(path) and plain_path(path) != "." for path in emptied_folders(call.code))
    if call.name not in {"rm", "find"}:
        return False
    if call.name == "rm":
        return call.unseen and call.has("rR", "--recursive")
    at = next((at for at, word in enumerate(call.args) if _starts_a_test(word)), len(call.args))
    roots = [word for word in call.args[:at] if not word.startswith("-")] or ["."]
    tests = call.args[at:]
    if "-delete" not in tests and not _runs_rm(tests):
        return False
    some = any(
        _FINDS_SOME.fullmatch(word) and after != "*"
        for word, after in zip(tests, [*tests[1:], ""], strict=True)
    )
    return any(outer(root) and not (some and root in {".", "./"}) for root in roots)


def _starts_a_test(word: str) -> bool:
    return word in {"(", "!"} or (
        word.startswith("-") and word not in {"-H", "-L", "-P"} and word[:2] != "-O"
    )


def _runs_rm(tests: list[str]) -> bool:
    pairs = pairwise(tests)
    return any(
        word.startswith(("-exec", "-ok")) and after.rpartition("/")[2] == "rm" for word, after in pairs
    )


def formats_disk(call: Call) -> bool:
    if call.name == "diskutil":
        return call.args[:1] != [] and call.args[0].lower().startswith(
            ("erase", "partition", "zero", "secureerase")
        )
    if call.name == "mkfs" or call.name.startswith(("mkfs.", "newfs")):
        return True
    return (
        call.name in _FORMATTERS
        and not call.has("", "--list", "--help", "--version")
        and "-l" not in call.args
    )


def turns_off(call: Call) -> bool:
    if call.name == "systemctl":
        return any(
            word in {"poweroff", "reboot", "halt", "kexec", "suspend", "hibernate"}
            for word in call.operands[:1]
        )
    if call.name in {"init", "telinit"}:
        return call.args[:1] in (["0"], ["6"])
    return not call.has("", "--help", "--version")


def empties_outer(call: Call) -> bool:
    """What is in a file is gone, though the file may stay."""
    if call.name == "dd":
        return any(word.startswith("of=") and _fixed_outer(word[3:]) for word in call.args)
    return any(_fixed_outer(path) for path in call.operands)


def _fixed_outer(path: str) -> bool:
    """Outside the work for certain. A variable may hold anything, and for one file that is no reason to ask."""
    unknown = path.startswith("$") and not path.startswith(("$HOME", "${HOME}"))
    return outer(path) and not unknown and not path.startswith("/dev/")


def changes_rights(call: Call) -> bool:
    return call.has("R", "--recursive") and any(whole(path) or system(path) for path in call.operands)


def runs_download(call: Call) -> bool:
    return _runs_from(call, DOWNLOADS)


def runs_decoded(call: Call) -> bool:
    return _runs_from(call, DECODES)


def _runs_from(call: Call, sources: frozenset[str]) -> bool:
    if call.name.startswith(("$(", "<(")):
        return call.name[2:].partition(")")[0] in sources
    if call.name in SHELLS or call.name in {".", "source"} or INTERPRETERS.fullmatch(call.name):
        if call.args and call.args[0].startswith("<("):
            return call.args[0][2:].partition(")")[0] in sources
        return call.takes_input and not sources.isdisjoint(call.simple.origins)
    return False


def kills_all(call: Call) -> bool:
    if call.name == "killall5":
        return True
    if call.name == "kill":
        return len(call.args) > 1 and call.args[-1] == "-1" and call.args[0] not in {"-l", "-L"}
    pairs = zip(["", *call.args], call.args, strict=False)
    names = [word for before, word in pairs if not word.startswith("-") and before not in _KILL_VALUED]
    every = all(_EVERY_NAME.fullmatch(name) for name in names)
    return every and (bool(names) or call.has_short("uU"))


def publishes(call: Call) -> bool:
    if call.has("", "--dry-run"):
        return False
    return any(call.starts(*words) for words in _PUBLISHING) or (
        call.name in {"docker", "podman"} and call.starts("buildx", "build") and "--push" in call.args
    )


def drops_tables(call: Call) -> bool:
    text = "\n".join([*call.args, call.fed])
    if call.name in _EMPTIES:
        return bool(_EMPTIES[call.name].search(text))
    ours = any(own(word) for word in call.operands[:1])
    return bool(_DROPS.search(text)) or (ours and bool(_SQL_WRITES.search(text)))


def destroys(call: Call) -> bool:
    if call.name in {"terraform", "tofu"}:
        return (
            call.starts("destroy")
            or (call.starts("apply") and call.has("", "-destroy", "--destroy"))
            or ("-destroy" in call.args and call.starts("apply"))
        )
    if call.name in {"kubectl", "oc"}:
        return "delete" in _without_values(call.args)[:1]
    if call.name == "aws":
        rest = call.args[call.args.index("s3") + 1 :] if "s3" in call.args else []
        return (rest[:1] == ["rm"] and "--recursive" in rest) or (rest[:1] == ["rb"] and "--force" in rest)
    if call.name == "gh":
        return call.starts("repo", "delete") or call.starts("release", "delete")
    return any(call.starts(*words) for words in (("system", "prune"), ("volume", "prune"), ("volume", "rm")))


def _without_values(args: list[str]) -> list[str]:
    pairs = zip(["", *args], args, strict=False)
    return [word for before, word in pairs if not word.startswith("-") and before not in _KUBE_VALUED]


def flushes_firewall(call: Call) -> bool:
    if call.name == "nft":
        return call.starts("flush")
    if call.name == "ufw":
        return call.starts("disable") or call.starts("reset")
    return call.has("F", "--flush")


def replaces_cron(call: Call) -> bool:
    return call.has("r") or not call.has("leV", "--help", "--version")


def changes_accounts(call: Call) -> bool:
    return not call.has("", "--help", "--version") and not (call.name == "passwd" and call.has("S"))


def hides_agent(call: Call) -> bool:
    """Takes off the variable, or lowers the limit, by which our own commands know an agent's shell."""
    if call.name in {"ulimit", "prlimit"}:
        return call.has_short("R" if call.name == "ulimit" else "y") or call.has("", "--rttime")
    if call.name in {"unset", "export", "declare", "typeset", "readonly"}:
        return any(word.partition("=")[0] == _MARK for word in call.args)
    before = call.simple.words[: max(len(call.simple.words) - len(call.args), 0)]
    cleared = call.name in {"vibeos", "vibe"} and not {"-i", "-", "--ignore-environment"}.isdisjoint(before)
    return cleared or any(_MARK in word for word in before[:64])
