"""The strict server as a process of its own: `python -m vibeos.testing.strict_server --script FILE.json`.

The first line of output is the address for OpenAI's format; Anthropic's clients take it without its `/v1`. On SIGINT or SIGTERM it stops; the exit code is 1 when the script was
not played as written, and the reasons are on standard error.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from vibeos.testing.script_file import load_script
from vibeos.testing.strict_server import StrictServer
from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    options = _options(arguments)
    try:
        steps = load_script(options.script.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, VibeOSError) as error:
        sys.stderr.write(f"{options.script}: {error}\n")
        return 2
    told_to_stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: told_to_stop.set())
    server = StrictServer(
        steps,
        api_key=options.api_key,
        models=options.model,
        context_window=options.context_window,
        port=options.port,
    )
    with server:
        sys.stdout.write(server.base_url + "\n")
        sys.stdout.flush()
        told_to_stop.wait()
    if options.requests:
        _write_requests(server, options.requests)
    for problem in server.script.problems:
        sys.stderr.write(problem + "\n")
    return 1 if server.script.problems else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vibeos.testing.strict_server", description=__doc__)
    parser.add_argument("--script", type=Path, required=True, help="the steps, in JSON")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--api-key", help="the only key that is accepted")
    parser.add_argument("--model", action="append", help="a model that exists; may be repeated")
    parser.add_argument("--context-window", type=int, help="in tokens")
    parser.add_argument(
        "--requests", type=Path, help="a file for the requests, one JSON object a line, at the end"
    )
    return parser.parse_args(arguments)


def _write_requests(server: StrictServer, path: Path) -> None:
    rows = [
        {"number": one.number, "method": one.method, "path": one.path, "status": one.status, "body": one.body}
        for one in server.requests
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
