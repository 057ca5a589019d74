"""From a route to a model that can be asked. Each kind is loaded only when it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.models.patience import PATIENT

if TYPE_CHECKING:
    from vibeos.ports.models.model import Model
    from vibeos.ports.models.patience import Patience
    from vibeos.ports.models.route import Route


def open_model(route: Route, api_key: str = "", *, patience: Patience = PATIENT) -> Model:
    """The model behind a route. Its own `route` has window, input limit and price step filled in.

    Opening makes no connection. Raises ModelNotConfiguredError when the key is missing or cannot be one, or when a local
    model cannot be run here.
    """
    if route.provider == "rehearsal":
        from vibeos.ports.models.limits import resolve_limits  # noqa: PLC0415 - only for this kind
        from vibeos.ports.models.rehearsal import RehearsalModel  # noqa: PLC0415 - the same

        return RehearsalModel(resolve_limits(route))
    if route.provider == "local":
        from vibeos.ports.models.local import LocalModel  # noqa: PLC0415 - only for this kind

        return LocalModel(route)
    from vibeos.ports.models.network import NetworkModel  # noqa: PLC0415 - loads asyncio
    from vibeos.ports.models.retrying import Retrying  # noqa: PLC0415 - the same

    return Retrying(NetworkModel(route, api_key, patience=patience), patience=patience)
