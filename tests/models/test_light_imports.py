"""Start-up is a feature: naming the model port must not load a model library."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pydantic_ai", "pydantic", "openai", "httpx2", "httpx", "genai_prices", "anyio", "asyncio")


def _loaded_by(code: str) -> list[str]:
    program = f"import sys; {code}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "import vibeos.ports.models",
        "from vibeos.ports.models import Route, parse_route, require_key; require_key(parse_route('openai:m'), 'k')",
        "from vibeos.ports.models import ToolSpec, ToolCall, ToolOutcome, dump_outcomes, load_outcomes",
        "from vibeos.ports.models import Finish, Reply, Usage",
        "from vibeos.ports.models.plain import plain_response; plain_response('hello')",
        "import vibeos.testing",
    ],
)
def test_light_names_load_no_model_library(code: str) -> None:
    assert _loaded_by(code) == []


def test_parsing_a_route_without_an_address_does_not_even_load_the_url_parser() -> None:
    program = (
        "import sys; before = set(sys.modules)\n"
        "from vibeos.ports.models.route import parse_route; parse_route('openai:m')\n"
        "print(*sorted(set(sys.modules) - before & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"json", "difflib", "ipaddress", "urllib.parse"} & set(done.stdout.split())


def test_every_public_name_can_be_imported() -> None:
    from vibeos.ports import models

    for name in models.__all__:
        assert getattr(models, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = models.no_such_name
