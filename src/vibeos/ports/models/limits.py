"""How much fits into a model where the configuration does not say: the `genai-prices` table, else a safe guess.

The table is the one that came with the installed package; nothing is fetched. A file that runs in this process says
itself what fits into it, so such a route stays as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo

    from vibeos.ports.models.route import Route

DEFAULT_CONTEXT_WINDOW = 128_000
REHEARSAL_CONTEXT_WINDOW = 32_000
LEAST_PRICE_STEP = 100_000


def resolve_limits(route: Route) -> Route:
    """The route with its window, input limit and price step filled in. What was configured stays."""
    if route.provider == "local":
        return route
    is_rehearsal = route.provider == "rehearsal"
    known = None if is_rehearsal else _look_up(route)
    guess = REHEARSAL_CONTEXT_WINDOW if is_rehearsal else DEFAULT_CONTEXT_WINDOW
    window = route.context_window or (known and known.context_window) or guess
    return replace(
        route,
        context_window=window,
        input_limit=min(route.input_limit or window, window),
        price_step=route.price_step or (known and _price_step(known)) or None,
    )


def _look_up(route: Route) -> ModelInfo | None:
    """The table's entry: by the address that serves the model, else by the model's name alone.

    A server on this machine is never looked up by name: what runs there has the window it was started with.
    """
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - 0.3 s, only before asking

    for address in [route.address] if route.is_loopback or not route.base_url else [route.address, None]:
        try:
            return get_snapshot().find_provider_model(route.model, None, None, address)[1]
        except LookupError:
            continue
    return None


def _price_step(model: ModelInfo) -> int | None:
    """The lowest length of context at which input costs more, in any of the model's price lists."""
    from genai_prices.types import ModelPrice, TieredPrices  # noqa: PLC0415 - loaded by now

    lists = [model.prices] if isinstance(model.prices, ModelPrice) else [one.prices for one in model.prices]
    inputs = [prices.input_mtok for prices in lists]
    starts = [tier.start for price in inputs if isinstance(price, TieredPrices) for tier in price.tiers]
    return min((start for start in starts if start >= LEAST_PRICE_STEP), default=None)
