"""Every key of config.yaml in one plain table: its kind, its default, what it may be, what it does.

Reading, editing, help and docs all go by this table; a key that is not in it does not exist. In a name,
`<platform>` stands for any one name. A key that waits for a later part of VibeOS is accepted and checked
like every other, and says in `awaits` what it waits for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    Value = bool | int | str | None
    Kind = Literal["flag", "number", "choice", "text"]

_WORDS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_TRUTH_AS_WORD = {"true": "on", "false": "off"}


class Key(NamedTuple):
    """One key. `default` is what it means where no one sets it; a number may be None: then there is none.

    `pattern` and `form` say the same of a text, once for the program and once in words. What someone writes
    into a `confidential` key by mistake may be a secret, so no message repeats it. While a key that
    `inherits` is not set, the key of that name stands in for it.
    """

    name: str
    kind: Kind
    default: Value
    help: str
    minimum: int = 1
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""
    form: str = "text on one line (in quotes if it is a number, or a word like true)"
    confidential: bool = False
    awaits: str = ""
    inherits: str = ""

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        match self.kind:
            case "flag":
                return "true or false"
            case "choice":
                return "one of " + ", ".join(self.choices)
            case "text":
                return self.form
            case "number":
                if self.maximum is None:
                    return f"a whole number, at least {self.minimum:,}"
                return f"a whole number from {self.minimum:,} to {self.maximum:,}"

    def accept(self, given: object) -> Value:
        """The value that `given` means: YAML's own value, or the text of a command line.

        Raises ValueError when the key may not be that.
        """
        match self.kind:
            case "flag":
                return _flag(given)
            case "number":
                return self._number(given)
            case "choice":
                return self._choice(given)
            case "text":
                return self._text(given)

    def _number(self, given: object) -> int:
        number = int(given) if isinstance(given, str) and re.fullmatch("[0-9]{1,18}", given) else given
        if isinstance(number, int) and not isinstance(number, bool) and self._is_within(number):
            return number
        raise ValueError(self.allowed)

    def _is_within(self, number: int) -> bool:
        return number >= self.minimum and (self.maximum is None or number <= self.maximum)

    def _choice(self, given: object) -> str:
        word = str(given).casefold() if isinstance(given, str | bool) else ""
        if word not in self.choices:
            word = _TRUTH_AS_WORD.get(word, "")
        if word not in self.choices:
            raise ValueError(self.allowed)
        return word

    def _text(self, given: object) -> str:
        if not isinstance(given, str) or not given.isprintable():
            raise ValueError(self.allowed)
        if given and self.pattern and not re.fullmatch(self.pattern, given):
            raise ValueError(self.allowed)
        return given


def _flag(given: object) -> bool:
    if isinstance(given, bool):
        return given
    word = given.casefold() if isinstance(given, str) else ""
    if word not in _WORDS:
        raise ValueError(given)
    return _WORDS[word]


_REVIEW = "the background review"
_PROVIDERS = "memory providers"
_GATEWAY = "the gateway"
_NOTIFICATIONS = ("off", "on", "verbose")

KEYS: tuple[Key, ...] = (
    Key(
        "model.name",
        "text",
        "",
        "The model that answers: `openai:NAME` (also for other servers, by model.base_url), `anthropic:NAME`, `local:FILE.gguf`, or `rehearsal`, a demonstration without a model. Empty: none yet.",
    ),
    Key(
        "model.base_url",
        "text",
        "",
        "Address of the model's server. Empty: the provider's own.",
        pattern=r"https?://[^\s/]\S*",
        form="an address that begins with http:// or https://",
    ),
    Key(
        "model.api_key_env",
        "text",
        "",
        "Name of the environment variable that holds the API key (the name, never the key). Empty: `OPENAI_API_KEY` for OpenAI itself, none for any other address.",
        pattern="[A-Za-z_][A-Za-z0-9_]*",
        form="the name of an environment variable (letters, digits and '_'), never the key itself",
        confidential=True,
    ),
    Key(
        "model.context_window",
        "number",
        None,
        "The model's context window in tokens. Empty: what is known of the model.",
        minimum=4_000,
    ),
    Key(
        "model.max_output_tokens",
        "number",
        None,
        "Most tokens of one answer. Empty: the provider decides.",
    ),
    Key(
        "model.input_limit",
        "number",
        None,
        "Most tokens of one request, where that is less than the context window. Empty: what is known of the model.",
        minimum=1_000,
    ),
    Key(
        "model.price_step",
        "number",
        None,
        "Length of context, in tokens, at which the model's price rises. Empty: what is known of the model.",
        minimum=1_000,
    ),
    Key(
        "agent.max_rounds",
        "number",
        200,
        "How often a model may call tools in one turn before the turn is ended.",
        maximum=10_000,
    ),
    Key(
        "agent.shell_variables",
        "choice",
        "without_keys",
        "Which of your environment variables the agent's commands get: `all`, or all `without_keys`, that is without the keys of models (`model.api_key_env` and the usual names, such as `OPENAI_API_KEY`).",
        choices=("without_keys", "all"),
    ),
    Key(
        "tools.dangerous_commands",
        "choice",
        "ask",
        "What becomes of a shell command that could do great harm: `ask` you in an open chat and refuse it elsewhere, always `refuse` it, or `allow` it.",
        choices=("ask", "refuse", "allow"),
    ),
    Key(
        "memory.memory_enabled",
        "flag",
        True,
        "Whether there is memory at all: both stores, the memory tool and the memory review.",
    ),
    Key(
        "memory.user_profile_enabled",
        "flag",
        True,
        "Whether what is known of the person (USER.md) is kept and shown to the model.",
    ),
    Key("memory.memory_char_limit", "number", 2_200, "Most characters of MEMORY.md.", maximum=100_000),
    Key("memory.user_char_limit", "number", 1_375, "Most characters of USER.md.", maximum=100_000),
    Key(
        "memory.write_approval",
        "flag",
        False,
        "Whether a model's writes to memory need your yes. In this version nobody is asked yet: they are refused; your own are not.",
    ),
    Key(
        "memory.provider",
        "text",
        "",
        "The memory provider that keeps long-term facts. Empty: none.",
        awaits=_PROVIDERS,
    ),
    Key(
        "memory.delegation_promote",
        "flag",
        True,
        "Whether what a delegated task found is offered to memory when it ends.",
        awaits="delegation",
    ),
    Key(
        "memory.review_every",
        "number",
        10,
        "After how many turns the review looks for what to keep.",
        maximum=10_000,
        awaits=_REVIEW,
    ),
    Key(
        "skills.write_approval",
        "flag",
        False,
        "Whether the model's changes to skills wait for your yes.",
        awaits="skills that a model writes",
    ),
    Key(
        "display.memory_notifications",
        "choice",
        "on",
        "How much the chat says when the review saved something: nothing, that it did, or what.",
        choices=_NOTIFICATIONS,
        awaits=_REVIEW,
    ),
    Key(
        "display.platforms.<platform>.memory_notifications",
        "choice",
        None,
        "The same for one platform, such as `telegram`.",
        choices=_NOTIFICATIONS,
        awaits=_GATEWAY,
        inherits="display.memory_notifications",
    ),
    Key(
        "display.language",
        "choice",
        "auto",
        "Language of the memory blocks in the prompt and of what memory answers to you and to the model. `auto`: that of the system.",
        choices=("auto", "en", "ru", "zh"),
    ),
    Key(
        "auxiliary.background_review.provider",
        "text",
        "auto",
        "Provider of the model that reviews. `auto`: that of the conversation.",
        awaits=_REVIEW,
    ),
    Key(
        "auxiliary.background_review.model",
        "text",
        "auto",
        "Model that reviews, for example a cheaper one. `auto`: that of the conversation.",
        awaits=_REVIEW,
    ),
)


def describe_keys() -> str:
    """All keys as a Markdown table, for the documentation."""
    rows = [f"| `{key.name}` | {_default(key)} | {key.allowed} | {_effect(key)} |" for key in KEYS]
    return "\n".join(["| Key | Default | Allowed | What it does |", "|---|---|---|---|", *rows, ""])


def _default(key: Key) -> str:
    if key.inherits:
        return f"that of `{key.inherits}`"
    if key.default is None or key.default == "":
        return "(empty)"
    return f"`{plain_text(key.default)}`"


def _effect(key: Key) -> str:
    return f"{key.help} *Accepted; comes into effect with {key.awaits}.*" if key.awaits else key.help


def plain_text(value: Value) -> str:
    """A value as config.yaml and the command line write it; empty for None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
