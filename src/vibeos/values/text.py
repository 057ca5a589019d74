"""What the rest of the code needs to know about characters: invisible ones, look-alikes, one-line names.

Everything here is a pure function over `str` that takes any text (lone surrogates, NUL, millions of
characters) and is linear in its length. Patterns are compiled when first needed: start-up is a feature.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

# Characters that show nothing: format controls, fillers, variation selectors, tags. ZWJ and ZWNJ are among
# them; whether they are legal where they stand is for the guard to say.
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = f"[{INVISIBLE}]+"
_DIRECTIONS = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+"
_ILL_FORMED = "[\x00\ud800-\udfff]"
_CONTROLS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+"
_SPACES = r"\s+"

# More marks on one letter than any writing system puts there (a mark is no letter, digit or blank).
_LONG_RUN_OF_MARKS = r"(?<![^\w\s\x00-\u02ff])[^\w\s\x00-\u02ff]{32,}"

_SHORT = 500  # up to here the order of marks does not matter for the time

# Letters that are drawn like Latin ones: Cyrillic, Greek, Armenian, phonetic, small capitals. Capitals have
# their own table, since case folding would lead them elsewhere (Н is drawn like H, but folds to н).
_LOOK_ALIKE_CAPITALS = str.maketrans("АВЕЁЅЗІЇЈКМНОРСТУХҮΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEESZIIJKMHOPCTYXYABEZHIKMNOPTYX")
_LOOK_ALIKE_SMALL = str.maketrans(
    "аԁеёһіїјкӏмоөрԛѕстуүѵхѡԝαγεηικνορτυωχϳօոսհցզıɑɡɩʀɪᴀʙᴄᴅᴇꜰɢʜᴊᴋʟᴍɴᴏᴘꞯꜱᴛᴜᴠᴡʏᴢ",
    "adeehiijklmoopqsctyyvxwwayenikvoptuwxjonuhgqiagiriabcdefghjklmnopqstuvwyz",
)


def nfc(text: str) -> str:
    """The text with composed characters, the form in which lengths are counted and entries compared."""
    return normalized("NFC", text)


def is_well_formed(text: str) -> bool:
    """Whether the text can be stored as UTF-8 everywhere: no lone surrogate, no NUL."""
    return re.search(_ILL_FORMED, text) is None


def well_formed(text: str) -> str:
    """The text with each lone surrogate and each NUL replaced by U+FFFD."""
    return re.sub(_ILL_FORMED, "\ufffd", text)


def without_invisible(text: str) -> str:
    """The text without the characters that show nothing."""
    return text if text.isascii() else re.sub(_INVISIBLE, "", text)


def fold(text: str) -> str:
    """A form for comparing what a reader sees: width, case, compatibility forms, invisible characters.

    It stays as it is when it is folded again.
    """
    return text.lower() if text.isascii() else normalized("NFKC", _visible(text).casefold())


def skeleton(text: str) -> str:
    """`fold`, with letters of other scripts that look Latin written as Latin."""
    if text.isascii():
        return text.lower()
    flat = _visible(text).translate(_LOOK_ALIKE_CAPITALS).casefold()
    return normalized("NFKC", flat.translate(_LOOK_ALIKE_SMALL))


def one_line(text: str, limit: int = 80) -> str:
    """An identity that cannot leave its line or its brackets: at most `limit` characters.

    Control characters, line breaks and invisible characters become a space or nothing, brackets and double
    quotes their harmless relatives, so nothing that a name holds can close a marker or open another.
    """
    flat = re.sub(_CONTROLS, " ", _visible(well_formed(text))).translate(_HARMLESS)
    return _shortened(re.sub(_SPACES, " ", flat).strip(), limit)


_HARMLESS = str.maketrans('[]【】〔〕⟦⟧⁅⁆〚〛❲❳⟬⟭<>"“”„‟〃', "()()()()()()()()‹›" + "'" * 6)


def preview(text: str, limit: int = 80) -> str:
    """The first `limit` characters on one line, for lists and errors; nothing in it turns the line around."""
    head = text.lstrip()[: limit * 50]  # what is shown is found there, however long the text is
    flat = re.sub(_SPACES, " ", re.sub(_CONTROLS, " ", head)).strip()
    return _shortened(flat if flat.isascii() else re.sub(_DIRECTIONS, "", flat), limit)


def _shortened(line: str, limit: int) -> str:
    return line if len(line) <= limit else line[: max(limit - 1, 0)] + "…"[:limit]


def _visible(text: str) -> str:
    """The text in its compatibility form, without invisible characters. These go first: they would keep apart
    a letter and its accent that composition brings together."""
    return normalized("NFKC", without_invisible(text))


def normalized(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """`unicodedata.normalize` in linear time.

    It sorts the marks of a letter by insertion: a million of them in an unlucky order would take hours. Long
    runs are therefore put in their canonical order first, which changes nothing that it would give.
    """
    if text.isascii():
        return text
    if form == "NFKC":  # these two only become marks while they are normalised
        text = text.replace("\uff9e", "\u3099").replace("\uff9f", "\u309a")
    if len(text) > _SHORT:
        text = re.sub(_LONG_RUN_OF_MARKS, _in_canonical_order, text)
    return unicodedata.normalize(form, text)


def _in_canonical_order(run: re.Match[str]) -> str:
    if unicodedata.is_normalized("NFD", run.group()):
        return run.group()
    ordered: list[str] = []
    marks: list[str] = []
    for letter in unicodedata.normalize("NFD", "\0".join(run.group())).replace("\0", ""):
        if unicodedata.combining(letter):
            marks.append(letter)
        else:
            ordered += (*sorted(marks, key=unicodedata.combining), letter)
            marks.clear()
    return "".join((*ordered, *sorted(marks, key=unicodedata.combining)))
