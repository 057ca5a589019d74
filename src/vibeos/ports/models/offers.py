"""Which models a server offers: its list at `/models`, for a person who is about to choose one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2

from vibeos.ports.models.http_client import open_http_client
from vibeos.ports.models.patience import Patience
from vibeos.values.errors import ModelRequestError

if TYPE_CHECKING:
    from vibeos.ports.models.route import Route

_ANTHROPIC_VERSION = "2023-06-01"
_BRIEF = Patience(answer=10, connect=5)
_MOST_BYTES = (
    8 * 1024 * 1024
)  # the longest lists, of services that resell others', have some hundred kilobytes


async def offered_models(route: Route, api_key: str = "", *, patience: Patience = _BRIEF) -> tuple[str, ...]:
    """The names of the models, in the server's order. Raises ModelRequestError where the server does not say."""
    address = f"{route.address}/models"
    try:
        async with open_http_client(route, patience, most_bytes=_MOST_BYTES) as client:
            response = await client.get(address, headers=_headers(route, api_key))
            answer = response.json() if response.status_code == httpx2.codes.OK else None
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise ModelRequestError(f"{address}: {str(error) or type(error).__name__}") from error
    if response.status_code != httpx2.codes.OK:
        raise ModelRequestError(
            f"{address} answered {response.status_code} {response.reason_phrase}".rstrip()
        )
    return _names(answer)


def _headers(route: Route, api_key: str) -> dict[str, str]:
    if route.provider == "anthropic":
        return {"anthropic-version": _ANTHROPIC_VERSION, "x-api-key": api_key}
    return {"authorization": f"Bearer {api_key}"} if api_key else {}


def _names(answer: object) -> tuple[str, ...]:
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise ModelRequestError("the server's list of models is not of the usual form")
    names = (row.get("id") for row in rows if isinstance(row, dict))
    return tuple(name for name in names if isinstance(name, str) and name.isprintable() and " " not in name)
