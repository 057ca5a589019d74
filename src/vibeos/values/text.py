"""What the rest of the code needs to know about characters: invisible ones, look-alikes, one-line names.

Everything here is a pure function over `str`, linear in its length.
"""

from __future__ import annotations

import re
import unicodedata

# Characters that show nothing: format controls, fillers, variation selectors, tags. ZWJ and ZWNJ are among
# them; whether they are legal where they stand is for the guard to say.
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_ILL_FORMED = re.compile("[\x00\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_SPACES = re.compile(r"\s+")

# Cyrillic and Greek letters that are drawn like Latin ones. Capitals have their own table, since case folding
# would lead them elsewhere (Н is drawn like H, but folds to н).
_LOOK_ALIKE_CAPITALS = str.maketrans("АВЕЁЅЗІЇЈКМНОРСТУХҮΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEESZIIJKMHOPCTYXYABEZHIKMNOPTYX")
_LOOK_ALIKE_SMALL = str.maketrans("аԁеёһіїјкӏмоөрѕстуүѵхѡԝαεικνορτυχϲϳ", "adeehiijklmoopsctyyvxwwaeiknoptuxcj")


def nfc(text: str) -> str:
    """The text with composed characters, the form in which lengths are counted and entries compared."""
    return unicodedata.normalize("NFC", text)


def is_well_formed(text: str) -> bool:
    """Whether the text can be stored as UTF-8 everywhere: no lone surrogate, no NUL."""
    return _ILL_FORMED.search(text) is None


def well_formed(text: str) -> str:
    """The text with each lone surrogate and each NUL replaced by U+FFFD."""
    return _ILL_FORMED.sub("\ufffd", text)


def without_invisible(text: str) -> str:
    """The text without the characters that show nothing."""
    return _INVISIBLE.sub("", text)


def fold(text: str) -> str:
    """A form for comparing what a reader sees: width, case, accents in compatibility forms, invisible letters."""
    return without_invisible(unicodedata.normalize("NFKC", text)).casefold()


def skeleton(text: str) -> str:
    """`fold`, with Cyrillic and Greek letters that look Latin written as Latin."""
    flat = without_invisible(unicodedata.normalize("NFKC", text))
    return flat.translate(_LOOK_ALIKE_CAPITALS).casefold().translate(_LOOK_ALIKE_SMALL)


def one_line(text: str, limit: int = 80) -> str:
    """An identity that cannot leave its line or its brackets: at most `limit` characters.

    Control characters, line breaks and invisible characters become a space, brackets and double quotes
    their harmless relatives, so nothing that a name holds can close a marker or open another.
    """
    flat = _CONTROLS.sub(" ", without_invisible(unicodedata.normalize("NFKC", well_formed(text))))
    flat = flat.translate(_HARMLESS)
    flat = _SPACES.sub(" ", flat).strip()
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


_HARMLESS = str.maketrans({"[": "(", "]": ")", "【": "(", "】": ")", "<": "‹", ">": "›", '"': "'"})


def preview(text: str, limit: int = 80) -> str:
    """The first `limit` characters on one line, for lists and errors."""
    flat = _SPACES.sub(" ", _CONTROLS.sub(" ", text)).strip()
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
