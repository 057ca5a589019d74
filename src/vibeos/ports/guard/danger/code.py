"""What the code that an interpreter is given in a command does, as far as its own text says so.

It is not parsed: calls are found by their names, with the texts in quotes that stand in them. What a variable holds is
not known. Each search is linear in the length of the code.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXT = r"""['"]([^'"\n]{1,400})['"]"""
_IN_CALLS = r"\s*\(?\s*(?:[\w.]{1,60}\(\s*){0,3}"  # rmtree(os.path.expanduser(
_WRITES = re.compile(
    rf"""open\(\s*{_TEXT}\s*,\s*(?:mode\s*=\s*)?['"][rbt+]{{0,2}}[wax+]"""
    rf"""|open\({_IN_CALLS}{_TEXT}\)\s*,\s*(?:mode\s*=\s*)?['"][rbt+]{{0,2}}[wax+]"""
    rf"""|(?:Path|path)\(\s*{_TEXT}\s*\)(?:\.expanduser\(\))?\.(?:write_|unlink|rename|open\(\s*['"][wax])"""
    rf"""|(?:writeFile|appendFile|File\.write|remove|unlink|rename|rmtree|rmSync|unlinkSync)(?:Sync)?{_IN_CALLS}{_TEXT}"""
)
_STARTS = r"(?:\bsystem|\bpopen|\bexecSync|\bgetoutput|\bsubprocess\.\w{1,20})"
_RUNS = re.compile(rf"""{_STARTS}\s*\(?\s*['"]([^'"\n]{{1,2000}})""")
_WORDS = r"""(?:['"][^'"\n]{0,400}['"]\s*(?:,\s*)?\[?\s*){2,50}"""
_RUNS_WORDS = re.compile(
    rf"""(?:{_STARTS}|\b(?:run|call|check_call|check_output|Popen|spawn|spawnSync|execFile|execFileSync|exec[lv]p?e?|exec))"""
    rf"""\s*\(?\s*\[?\s*({_WORDS})"""
)
_WORD = re.compile(r"""['"]([^'"\n]{0,400})['"]""")
_REMOVED_TREE = re.compile(rf"""(?:rmtree|rmSync|rm_rf|rm_r|removedirs|remove_tree){_IN_CALLS}{_TEXT}""")
_REMOVES = re.compile(r"\b(?:remove|unlink|rmdir|rmtree|rm_rf|rm_r|rmSync|unlinkSync|rmdirSync|delete)\b")
_LISTS = re.compile(
    rf"""(?:\bglob|iglob|listdir|scandir|walk|readdir|readdirSync|Path|Dir\.\w{{1,20}}|\bDir){_IN_CALLS}{_TEXT}"""
)
_AWK_RUNS = re.compile(r"""system\s*\(\s*"((?:[^"\\\n]|\\.){1,2000})|"((?:[^"\\\n]|\\.){1,2000})"\s*\|""")
_TEXTS = re.compile(_TEXT)


def writes_in(code: str) -> Iterator[str]:
    """The files that it writes, replaces or takes away."""
    for found in _WRITES.finditer(code):
        yield next(path for path in found.groups() if path)


def commands_in(code: str) -> Iterator[str]:
    """The shell commands that it starts, also where it gives them word by word."""
    yield from (found.group(1) for found in _RUNS.finditer(code))
    for found in _RUNS_WORDS.finditer(code):
        yield shlex.join(_WORD.findall(found.group(1)))


def awk_commands(program: str) -> Iterator[str]:
    """The shell commands that an awk program starts."""
    for found in _AWK_RUNS.finditer(program):
        yield (found.group(1) or found.group(2)).replace('\\"', '"')


def removed_trees(code: str) -> Iterator[str]:
    """The folders that it deletes with all that is below."""
    yield from (found.group(1) for found in _REMOVED_TREE.finditer(code))


def emptied_folders(code: str) -> Iterator[str]:
    """The folders and patterns that it looks through, if it also deletes something."""
    if _REMOVES.search(code):
        yield from (found.group(1) for found in _LISTS.finditer(code))


def texts_in(code: str) -> Iterator[str]:
    """All short texts in quotes: any of them may be a path."""
    yield from _TEXTS.findall(code)
