"""Characters that nobody sees. What is legal where is in `invisible`."""

from __future__ import annotations

from vibeos.ports.guard import invisible
from vibeos.ports.guard.rule import Rule

INVISIBLE = (
    Rule(
        id="invisible.hidden",
        severity="medium",
        languages=("any",),
        reason="holds an invisible character",
        check=invisible.hidden,
        stops=("ig\u00adnore all prev\u200bious", "a\u2060b"),
        passes=("Zero-width spaces are removed by the importer.",),
    ),
    Rule(
        id="invisible.direction",
        severity="medium",
        languages=("any",),
        reason="holds a character that turns the direction of the text",
        check=invisible.turned,
        stops=("note\u202e)txt.gnp(", "a\u2067b\u2069"),
        passes=("שלום עולם", "مرحبا"),
    ),
    Rule(
        id="invisible.tag",
        severity="medium",
        languages=("any",),
        reason="holds tag characters, which spell a text that nobody sees",
        check=invisible.tags,
        stops=("hello\U000e0069\U000e0067", "\U0001f3f4\U000e0068\U000e0069\U000e007f"),
        passes=("Lives in \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",),
    ),
    Rule(
        id="invisible.joiner",
        severity="medium",
        languages=("any",),
        reason="holds an invisible joiner where no script needs one",
        check=invisible.stray_joiners,
        stops=("ig\u200dnore", "a \u200c b", "\u0645\u06cc\u200c\u200c\u062e"),
        passes=(
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
    ),
    Rule(
        id="invisible.selector",
        severity="medium",
        languages=("any",),
        reason="holds a variation selector where nothing has variants",
        check=invisible.stray_selectors,
        stops=("a\ufe0f", "\U0001f600\ufe0f\ufe0e", "\U0001f600\U000e0121\U000e0122"),
        passes=("\u2764\ufe0f 1\ufe0f\u20e3 \u845b\U000e0100",),
    ),
    Rule(
        id="invisible.control",
        severity="medium",
        languages=("any",),
        reason="holds a control character",
        check=invisible.controls,
        stops=("\x1b[2Jgone", "abc\x08\x08\x08xyz"),
        passes=("one\n\ttwo\r\n",),
    ),
)
