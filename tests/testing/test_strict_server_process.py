"""The strict server as a process of its own, for programs in any language."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from testing.speaking import ANTHROPIC, OPENAI, chat, post, said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def serving(script: object, folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server and its address."""
    file = folder / "script.json"
    file.write_text(json.dumps(script), encoding="utf-8")
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "vibeos.testing.strict_server",
        "--script",
        str(file),
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def ask(address: str, key: str = "k") -> Any:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{address}/chat/completions", body, headers)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as response:
        return json.loads(response.read())


def end(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str]:
    process.send_signal(how)
    _, errors = process.communicate(timeout=20)
    return process.returncode, errors


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_plays_the_script_and_ends_well(tmp_path: Path, how: signal.Signals) -> None:
    requests = tmp_path / "requests.jsonl"
    with serving(["hi there"], tmp_path, "--requests", str(requests), "--api-key", "k") as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            ask(address, key="other")
        refused.value.close()
        assert ask(address)["choices"][0]["message"]["content"] == "hi there"
        assert end(process, how) == (0, "")
    kept = [json.loads(line) for line in requests.read_text(encoding="utf-8").splitlines()]
    assert [one["status"] for one in kept] == [401, 200]
    assert kept[1]["body"]["messages"][0]["content"] == "hello"


def test_it_serves_both_formats_whole_and_streamed(tmp_path: Path) -> None:
    script = ["one", {"broken": "two", "after": 1}, {"overflow": "vllm"}, "four"]
    with serving(script, tmp_path) as (process, address):
        whole = post(address, ANTHROPIC, chat(ANTHROPIC))
        streamed = post(address, OPENAI, chat(OPENAI, stream=True))
        refused = post(address, OPENAI, chat(OPENAI))
        last = post(address, ANTHROPIC, chat(ANTHROPIC, stream=True))
        assert end(process, signal.SIGTERM) == (0, "")
    assert said(whole, ANTHROPIC) == "one"
    assert (streamed.broke_off, len(streamed.events)) == (True, 1)
    assert (refused.status, refused.json["error"]["type"]) == (400, "BadRequestError")
    assert said(last, ANTHROPIC) == "four"


def test_it_ends_with_1_and_says_why_when_the_script_was_not_played(tmp_path: Path) -> None:
    with serving({"steps": ["one", "two"]}, tmp_path, "--port", "0") as (process, address):
        ask(address)
        code, errors = end(process, signal.SIGTERM)
    assert code == 1
    assert "step 2 was not used" in errors


def test_it_does_not_begin_with_a_script_that_cannot_be_played(tmp_path: Path) -> None:
    with serving([5], tmp_path) as (process, address):
        _, errors = process.communicate(timeout=20)
    assert (address, process.returncode) == ("", 2)
    assert "step 1 is neither text nor an object" in errors
