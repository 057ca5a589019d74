"""What kind of place a path in a command names. Only the text of the path is looked at, never the disk."""

from __future__ import annotations

import posixpath
import re

LONGEST = 4096  # as long as a path can be; what is longer is no path

_TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/folders/", "/var/folders/", "/dev/shm/")  # noqa: S108 - names of folders, nothing is opened
_SYSTEM = re.compile(
    r"/(?:private/)?(?:etc|usr|bin|sbin|boot|lib|lib32|lib64|sys|proc/sys(?:rq-trigger)?|System|Library)(?:/.*)?",
    re.DOTALL,
)
_DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper/|dm-|md\d|loop)", re.ASCII)
_OWN = frozenset(
    {"memory.md", "user.md", "soul.md", "config.yaml", "state.db", "state.db-wal", "state.db-shm"}
)
_KEYS = re.compile(r"(?:authorized_keys2?|id_(?:rsa|dsa|ecdsa|ed25519)(?:\.pub)?|\.\w{1,20}_history)")
_HOME = re.compile(r"~[\w.-]*|\$HOME|\$\{HOME\}")
_GUARDED = re.compile(r"\$\{\w+:?\?[^}]*\}|\$\(mktemp\)")
_DEFAULT = re.compile(r"\$\{\w+:?[-=]([^}]*)\}")
_HERE = re.compile(r"\$PWD(?!\w)|\$\{PWD\}|\$\(pwd\)")
_VARIABLE = re.compile(r"\$(?:\{[^}]*\}|\([^)]*\)|\w+|[@*#?!$-])")
_IN_HOME = re.compile(
    r"(?:(?:~[\w.-]*|\$HOME|\$\{HOME\}|/home/[^/]+|/root|/Users/[^/]+|/var/root)/"
    r"|(?:\$XDG_CONFIG_HOME|\$\{XDG_CONFIG_HOME\})/(?=fish|systemd|autostart|git))"
)
_STARTS = re.compile(
    r"\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|z(?:shrc|shenv|profile|login|logout)|kshrc|cshrc|tcshrc|login"
    r"|inputrc|pam_environment|xprofile|xinitrc|xsessionrc|xsession|gitconfig)"
    r"|(?:\.config/)?(?:fish/(?:config\.fish|conf\.d/.*|functions/.*)|systemd/user/.*|autostart/.*|git/config)"
    r"|\.local/share/systemd/user/.*|Library/LaunchAgents/.*",
    re.DOTALL,
)
_SPOOLS = ("/var/spool/cron/", "/var/spool/at/", "/Library/LaunchAgents/", "/Library/LaunchDaemons/")
_HOOK = re.compile(r"(?:^|/)(?:\.git|\.git/modules/[^\n]+|[^/]+\.git)/hooks/[^/]+$")
_ALL_NAMES = re.compile(r"[.*?/\[\]!^]+")


def outer(path: str) -> bool:
    """Whether deleting it with all that is below would reach beyond some folder inside the working folder."""
    if len(path) > LONGEST:
        return False
    alternatives = (
        path[1:-1].split(",") if path.startswith("{") and path.endswith("}") and path != "{}" else [path]
    )
    return any(_outer(one) for one in alternatives)


def _outer(path: str) -> bool:
    path = _HERE.sub(".", _DEFAULT.sub(r"\1", path))
    if _GUARDED.match(path) or not path:
        return False
    if path.startswith(("$", "~")) or _ALL_NAMES.fullmatch(path):
        return True
    plain = plain_path(_VARIABLE.sub("", path))
    if plain.startswith("/"):
        return not any(plain.startswith(folder) and plain != folder for folder in _TEMPORARY)
    return plain in {".", ".git"} or plain.partition("/")[0] == ".."


def plain_path(path: str) -> str:
    """Without `//`, `x/..`, and a last `*` that stands for all that a folder holds."""
    plain = posixpath.normpath(path)
    while plain.endswith(("/*", "/**")):
        plain = plain.rstrip("*").rstrip("/") or "/"
    return "/" + plain.lstrip("/") if plain.startswith("/") else plain


def whole(path: str) -> bool:
    """The root of the disk, or a home folder."""
    return plain_path(path) == "/" or bool(_HOME.fullmatch(plain_path(path)))


def system(path: str) -> bool:
    return len(path) <= LONGEST and bool(_SYSTEM.fullmatch(plain_path(path)))


def disk(path: str) -> bool:
    return bool(_DISK.match(path))


def own(path: str) -> bool:
    """One of our own files: they are changed through tools and commands that keep a record."""
    return own_name(path) or own_folder(path)


def own_name(path: str) -> bool:
    """A file that is called as one of our own is."""
    return path[-LONGEST:].casefold().rpartition("/")[2] in _OWN


def own_folder(path: str) -> bool:
    """Something in our home, where that is where it is by default."""
    return ".vibeos" in path[-LONGEST:].casefold().split("/")


def keys(path: str) -> bool:
    parts = path[-LONGEST:].split("/")
    return bool(_KEYS.fullmatch(parts[-1])) or ".ssh" in parts or ".gnupg" in parts


def start_file(path: str) -> bool:
    """What the person's shell, their machine or git runs by itself, sooner or later."""
    path = plain_path(path[-LONGEST:])
    at_home = _IN_HOME.match(path)
    if at_home and _STARTS.fullmatch(path, at_home.end()):
        return True
    return path.startswith(_SPOOLS) or (_HOOK.search(path) is not None and not path.endswith(".sample"))


def everything_here(path: str) -> bool:
    """`.` and its like, as git and find take it."""
    return bool(_ALL_NAMES.fullmatch(path)) or path in {":/", ":", ":(top)"}
