"""Invisible characters, and the places where they are legal text.

The documents block invisible characters. One deliberate refinement: what a script or an emoji needs is text.
Legal are ZWJ inside an emoji sequence, ZWJ and ZWNJ between letters of scripts that join (Arabic, Indic, …), one
variation selector after an emoji, an ideograph or a Mongolian letter, and the tags of the three flags that
have them. Nothing here can carry a hidden message: a second selector or joiner in a row is not legal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.guard.passages import Passage, compiled

if TYPE_CHECKING:
    from vibeos.ports.guard.normalise import Reading

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING = (  # letters and marks of scripts whose writers need joiners
    "\u0600-\u06ff\u0700-\u085f\u0860-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff"
    "\u1820-\u18aa\u1900-\u194f\u1a20-\u1aaf\u1b00-\u1bff\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9df\uaa60-\uaa7f"
    "\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U000114df\U0001e900-\U0001e95f"
)
_VIRAMA = (  # after these a joiner may also end a word
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u17d2\u1b44\ua9c0\uabed"
)
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_MONGOLIAN = "\u1820-\u18aa"
_FLAG = "\U0001f3f4"
_FLAGS_WITH_TAGS = tuple(
    _FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)

_HIDDEN = (
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_BIDI = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
_TAG = "[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
_STRAY_JOINER = (
    f"\u200d(?!(?<=[{_EMOJI}\ufe0f]\u200d)[{_EMOJI}]|(?<=[{_JOINING}]\u200d)[{_JOINING}]|(?<=[{_VIRAMA}]\u200d))|"
    f"\u200c(?!(?<=[{_JOINING}]\u200c)[{_JOINING}]|(?<=[{_VIRAMA}]\u200c))"
)
_STRAY_SELECTOR = (
    f"(?<![{_EMOJI}])[\ufe0e\ufe0f](?!(?<=[0-9#*].)\u20e3)|[\ufe00-\ufe0d]|"
    f"(?<![{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]|(?<![{_MONGOLIAN}])[\u180b-\u180f]"
)
# Line ends and tabs are text; NUL is left to who stores the text, and refuses it for what it is.
_CONTROL = r"[\x01-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]"


def hidden(reading: Reading) -> Passage | None:
    """Zero-width characters, soft hyphens, fillers. A byte-order mark may begin a text."""
    begin = 1 if reading.raw.startswith("\ufeff") else 0
    return _search(_HIDDEN, reading, begin)


def turned(reading: Reading) -> Passage | None:
    """Direction marks, embeddings, overrides, isolates: text that is read otherwise than it stands."""
    return _search(_BIDI, reading)


def tags(reading: Reading) -> Passage | None:
    """Tag characters, which spell a text that nobody sees; three flags are made of them."""
    if not reading.has_invisible:
        return None
    text = reading.raw
    for flag in _FLAGS_WITH_TAGS:
        text = text.replace(flag, _FLAG)
    found = compiled(_TAG).search(text)
    return Passage(text, found.start(), found.end()) if found else None


def stray_joiners(reading: Reading) -> Passage | None:
    """Joiners where no emoji and no script needs them."""
    return _search(_STRAY_JOINER, reading)


def stray_selectors(reading: Reading) -> Passage | None:
    """Variation selectors after what has no variants, or several in a row."""
    return _search(_STRAY_SELECTOR, reading)


def controls(reading: Reading) -> Passage | None:
    """Control characters: escape sequences can repaint a terminal, backspaces hide words."""
    if reading.raw.isprintable():
        return None
    found = compiled(_CONTROL).search(reading.raw)
    return Passage(reading.raw, found.start(), found.end()) if found else None


def _search(pattern: str, reading: Reading, begin: int = 0) -> Passage | None:
    if not reading.has_invisible:
        return None
    found = compiled(pattern).search(reading.raw, begin)
    return Passage(reading.raw, found.start(), found.end()) if found else None
