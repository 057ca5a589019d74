"""Credentials in commands and in sentences: what names a secret, what sends it away, and what is ordinary use.

A credential in an authentication header is how these tools are meant to be used, and a service's own
credential belongs to that service. A credential in an address, in a body or in a pipe to the network, or a
key file that is uploaded, leaves the machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.guard.passages import Passage, compiled, ends_sentence, forbidden, has_words, pairs

if TYPE_CHECKING:
    import re

    from vibeos.ports.guard.normalise import Reading

_TOOL_NAMES = (
    "curl wget httpie netcat ncat nc socat telnet tftp ftp sftp scp rsync invoke iwr irm nslookup dig aria2c requests httpx "
    "urlopen axios fetch sendbeacon xmlhttprequest"
)
TOOL_WORDS = frozenset(_TOOL_NAMES.split())
TOOL = (
    r"(?:\b(?:curl|wget|httpie|netcat|ncat|nc|socat|telnet|t?ftp|sftp|scp|rsync|invoke-(?:webrequest|restmethod)|iwr|irm|"
    r"nslookup|dig|aria2c)(?:\.exe)?(?![\w-])|\b(?:requests|httpx)\.(?:get|post|put|patch|request)\b|\burlopen\b|"
    r"\baxios(?:\.[a-z]{2,7})?\s?\(|\bfetch\s?\(|\bsendbeacon\s?\(|\bxmlhttprequest\b)"
)

# Something secret: a key file, a variable (its name decides), the whole environment.
_KEY_FILE = (
    r"\.ssh[/\\](?!config\b|known_hosts|authorized_keys|[\w.-]{1,40}\.pub\b)[\w.*-]{0,40}[\w*]|(?<!\w)\.ssh[/\\]?(?![\w/\\.*-])|"
    r"\bid_(?:rsa|dsa|ecdsa|ed25519)\b(?!\.pub)|\.aws[/\\]credentials\b|(?<!\w)\.(?:aws|gnupg|kube)[/\\]?(?![\w/\\.-])|"
    r"\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|vault-token)\b|\.kube[/\\]config\b|\.docker[/\\]config\.json|"
    r"\.config[/\\]gh[/\\]hosts|(?<![\w)\]])\.env(?!\w)(?!\.(?:example|sample|template|dist|defaults?|schema))|"
    r"[/\\]etc[/\\]shadow\b|\bcookies\.sqlite\b|\bwallet\.dat\b|\bprivate_?key(?:\.\w{2,4})?\b|"
    r"\b(?:secrets|credentials)\.(?:ya?ml|json|toml|csv)\b|\bpriv\w{0,12}\.(?:pem|key)\b"
)
_VARIABLE = (
    r"\$\{?(?:env:)?(?P<shell>[a-z]\w{1,60})|%(?P<windows>[a-z]\w{1,60})%|\bgetenv\(\s?[\"'](?P<called>[a-z]\w{1,60})|"
    r"\b(?:process\.env|os\.environ|import\.meta\.env|secrets|env)(?:\.get\(|\[|\.)\s?[\"']?(?P<member>[a-z]\w{1,60})"
)
_ENVIRONMENT = (
    r"\$\(\s?(?:env|printenv|set)\b|`\s?(?:env|printenv)\b|(?<!\|\s)\b(?:printenv|env)(?=\s?\|)|"
    r"\b(?:process\.env|os\.environ)(?![\w.\[])"
)
_SECRET = rf"(?=[$%.`/\\cegiopsw])(?:(?P<file>{_KEY_FILE})|(?P<all>{_ENVIRONMENT})|{_VARIABLE})"
_NAMED = (
    "ssh rsa dsa ecdsa ed25519 aws gnupg kube netrc pgpass npmrc pypirc git vault docker gh env environ shadow cookies wallet "
    "private privatekey private_key secrets credentials getenv printenv set pem key"
)
SECRET_WORDS = frozenset((*_NAMED.split(), "$", "%"))

_NAME_PARTS = "key keys apikey token tokens secret secrets password passwd passphrase pass pat credential credentials cookie jwt"
_OTHER_PARTS = "public pub cache primary foreign sort partition idempotency site host keyboard"
_SECRET_PARTS = frozenset(_NAME_PARTS.split())
_OTHER_KEYS = frozenset(_OTHER_PARTS.split())
_SECRET_ENDS = ("apikey", "token", "secret", "password", "accesskey", "secretkey")

# Where a service's own credential may go.
_SERVICES = {
    "anthropic": ("anthropic.com",),
    "aws": ("amazonaws.com",),
    "azure": ("azure.com", "windows.net"),
    "cloudflare": ("cloudflare.com",),
    "cohere": ("cohere.com", "cohere.ai"),
    "deepseek": ("deepseek.com",),
    "discord": ("discord.com",),
    "gemini": ("googleapis.com",),
    "gh": ("github.com",),
    "github": ("github.com", "githubusercontent.com"),
    "gitlab": ("gitlab.com",),
    "google": ("googleapis.com", "google.com"),
    "groq": ("groq.com",),
    "hf": ("huggingface.co",),
    "huggingface": ("huggingface.co",),
    "mistral": ("mistral.ai",),
    "npm": ("npmjs.org",),
    "openai": ("openai.com", "openai.azure.com"),
    "openrouter": ("openrouter.ai",),
    "sentry": ("sentry.io",),
    "slack": ("slack.com",),
    "stripe": ("stripe.com",),
    "telegram": ("telegram.org",),
    "xai": ("x.ai",),
}
_DROP_SITES = (
    "webhook.site", "requestbin", "ngrok", "pipedream", "burpcollaborator", "interact.sh", "oast.", "pastebin.com",
    "transfer.sh", "hookb.in", "beeceptor", "requestcatcher",
)  # fmt: skip
_HOST = r"\b(?:https?|ftp|wss?)://(?:[^\s/@\"'`]{1,80}@)?([^\s/:?#\"'`<>)]{1,120})"
_BARE_HOST = r"(?<=\s)([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,5})(?=[/:?\s]|$)"
_LOCAL = r"localhost|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[?::1\]?|host\.docker\.internal|[$%{].*"
_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_IN_HEADER = (
    r"(?:(?:-[a-z]{0,6}h|--header|-headers)[ =]?\s?[\"'@{]{0,3}[\w-]{0,40}(?:auth|key|token|cookie)[\w-]{0,20}[\"']?\s?[:=]\s?[\"']?"
    r"(?:bearer|basic|token|apikey)?\s?|(?:-[a-z]{0,6}u|--user|--oauth2-bearer|--password|--http-password)[ =]?[\"']?[\w.@-]{0,40}:?|"
    r"headers\s?=\s?\{[^}\n]{0,80}|[\"']?(?:authorization|x-api-key)[\"']?\s?:\s?[f`\"']{0,2}(?:bearer|basic|token)?\s?)[\"'{$]{0,3}$"
)
_UPLOADS = (
    r"(?:@|<\s?|\$\(\s?(?:cat|base64|head|tail|<)[^)\n]{0,30}|`\s?(?:cat|base64)[^`\n]{0,30}|"
    r"(?:^|\s)(?:-t|-f|-d|--data[\w-]{0,12}|--form|--upload-file|--post-file|--body-file|-infile)[ =]?[\"']?(?:\w{1,20}=)?@?|"
    r"\bopen\(\s?[rb]?[\"'])[\"']?[^\s\"']{0,60}$"
)
_IDENTITY = r"(?:-i|identityfile|--key|--cert|--cacert|--netrc-file|--private-key|--exclude|--exclude-from)[ =]?[\"']?[^\s\"']{0,60}$"
_COPIES = r"(?:scp|rsync)(?:\s+--?\w[\w-]{0,20}(?:[ =](?:\d{1,5}|\w{1,30}=\S{1,30}))?)*(?:\s+[\w~-]*[./][\w./~-]*)*\s+[\"']?[^\s\"']{0,60}"
_GIVEN = r"(?:[?&=/.:][^\s]{0,80}|<<<?\s?[\"']?|(?:-d|-f|--data[\w-]{0,12}|--form|--post-data|--body|-body)[ =]?[\"']?\S{0,60})$"
_NEW_COMMAND = r"[^\\(,{\[|&\s][ \t]{0,8}\n"
_USER_PART = r"://[^\s/@\"'`]{0,60}$"
_REACH = 300
_LONGEST = 300  # of a path, its end decides
_SCHEMES = frozenset(("http", "https", "ftp", "ws", "wss"))


_NETWORK = (TOOL_WORDS, SECRET_WORDS)


def secrets(reading: Reading, text: str) -> list[re.Match[str]]:
    """Every place in this form of the text that names something secret, in order."""
    found = reading.memo.get(text)
    if found is None:
        found = [match for match in compiled(_SECRET).finditer(text) if _names_secret(match)]
        reading.memo[text] = found
    return found


def files_and_variables(reading: Reading, text: str) -> list[re.Match[str]]:
    """The places of `secrets` without those that mean the whole environment."""
    return [match for match in secrets(reading, text) if match["all"] is None]


def key_files(reading: Reading, text: str) -> list[re.Match[str]]:
    """The places of `secrets` that are files."""
    return [match for match in secrets(reading, text) if match["file"] is not None]


def sends_variable(reading: Reading) -> Passage | None:
    """A network tool that is given a credential, other than for what the credential is for."""
    if not has_words(reading, _NETWORK):
        return None
    for text in reading.forms:
        values = (match for match in secrets(reading, text) if match["file"] is None)
        for tool, secret in pairs(compiled(TOOL).finditer(text), values, _REACH):
            if not _apart(text, tool, secret) and not _ordinary_use(text, tool, secret):
                return Passage(text, tool.start(), secret.end())
    return None


def sends_file(reading: Reading) -> Passage | None:
    """A network tool that is given a key file to upload or to copy."""
    if not has_words(reading, _NETWORK):
        return None
    for text in reading.forms:
        for tool, file in pairs(compiled(TOOL).finditer(text), key_files(reading, text), _REACH):
            if not _apart(text, tool, file) and _uploads(text[tool.start() : file.start()]):
                return Passage(text, tool.start(), file.end())
    return None


def pipes_secret(reading: Reading) -> Passage | None:
    """A key file, a credential or the whole environment piped into a network tool."""
    if "|" not in reading.vocabulary or not has_words(reading, _NETWORK):
        return None
    for text in reading.forms:
        tools = compiled(rf"\|\s{{0,4}}(?:sudo\s)?{TOOL}").finditer(text)
        for source, tool in pairs(secrets(reading, text), tools, 160):
            if not ends_sentence(text, source.end(), tool.start()) and not _in_table(text, source.start()):
                return Passage(text, source.start(), tool.end())
    return None


def address_with_secret(reading: Reading) -> Passage | None:
    """An address that carries a credential to somebody else than its service."""
    if not has_words(reading, (_SCHEMES, SECRET_WORDS)):
        return None
    for text in reading.forms:
        values = [match for match in secrets(reading, text) if match["file"] is None and match["all"] is None]
        for host, secret in pairs(compiled(_HOST).finditer(text), values, 160):
            between = text[host.end() : secret.start()]
            one_address = not compiled(r"[\s\"'`<>)]").search(between)
            if (
                one_address
                and not _may_go_to(_name(secret), host.group(1))
                and not forbidden(text, host.start())
            ):
                return Passage(text, host.start(), secret.end())
        found = _misused_login(text, values)
        if found:
            return found
    return None


def _misused_login(text: str, values: list[re.Match[str]]) -> Passage | None:
    """A credential as the user part of an address of somebody else than its service."""
    for secret in values:
        host = compiled(r"\}?@([^\s/:?#\"'`<>)]{1,120})").match(text, secret.end())
        if host and not _may_authenticate(_name(secret), host.group(1)):
            before = text[max(secret.start() - 64, 0) : secret.start()]
            if compiled(_USER_PART).search(before):
                return Passage(text, secret.start(), host.end())
    return None


def is_key_file(path: str) -> bool:
    """Whether a path, as a command names it, is that of keys, passwords or the like."""
    return compiled(_KEY_FILE).search(path[-_LONGEST:].lower()) is not None


def is_secret(name: str) -> bool:
    """Whether the name of a variable is that of a credential."""
    parts = frozenset(name.split("_"))
    return bool(parts & _SECRET_PARTS or name.endswith(_SECRET_ENDS)) and not parts & _OTHER_KEYS


def _name(secret: re.Match[str]) -> str:
    """The name of the variable; empty for a file or the whole environment."""
    return secret["shell"] or secret["windows"] or secret["called"] or secret["member"] or ""


def _names_secret(match: re.Match[str]) -> bool:
    name = _name(match)
    return not name or is_secret(name)


def _in_table(text: str, at: int) -> bool:
    return text[max(at - 200, 0) : at].rpartition("\n")[2].lstrip().startswith("|")


def _apart(text: str, tool: re.Match[str], secret: re.Match[str]) -> bool:
    """Whether tool and secret belong to different sentences or commands, or the sentence forbids it."""
    if ends_sentence(text, tool.end(), secret.start()) or forbidden(text, tool.start()):
        return True
    return compiled(_NEW_COMMAND).search(text[tool.start() : secret.start()]) is not None


def _ordinary_use(text: str, tool: re.Match[str], secret: re.Match[str]) -> bool:
    name = _name(secret)
    if not name:
        return False
    command = text[tool.start() : secret.end() + 200].split("\n\n", maxsplit=1)[0]
    hosts = compiled(_HOST).findall(command) or compiled(_BARE_HOST).findall(command)
    before = text[tool.end() : secret.start()][-120:]
    if compiled(_IN_HEADER).search(before):
        return all(_may_authenticate(name, host) for host in hosts)
    if not hosts:
        return not compiled(_GIVEN).search(before) and not compiled(r"\}?\.[a-z0-9]").match(
            text, secret.end()
        )
    return all(_may_go_to(name, host) for host in hosts)


def _may_authenticate(name: str, host: str) -> bool:
    """Any credential may go in a header, except a known service's to another, and none to a drop site."""
    if any(site in host for site in _DROP_SITES):
        return False
    if _domains(name) or compiled(_ADDRESS).fullmatch(host):
        return _may_go_to(name, host)
    return True


def _may_go_to(name: str, host: str) -> bool:
    if compiled(_LOCAL).fullmatch(host):
        return True
    return any(host == domain or host.endswith(f".{domain}") for domain in _domains(name))


def _domains(name: str) -> tuple[str, ...]:
    """Where the service that a variable's name mentions lives."""
    return tuple(domain for part in name.split("_") for domain in _SERVICES.get(part, ()))


def _uploads(command: str) -> bool:
    tail = command[-120:]
    if compiled(_IDENTITY).search(tail):
        return False
    return compiled(_COPIES).fullmatch(command) is not None or compiled(_UPLOADS).search(tail) is not None
