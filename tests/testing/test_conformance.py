"""The suites for adapters, run on every adapter that there is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from vibeos.memory.curated.store import FileStore
from vibeos.ports.models.network import NetworkModel
from vibeos.ports.models.patience import Patience
from vibeos.ports.models.route import parse_route
from vibeos.testing import ScriptedModel, StrictServer
from vibeos.testing.conformance import CuratedStoreConformance, ModelConformance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vibeos.memory.curated.store import CuratedStore
    from vibeos.ports.models.model import Model
    from vibeos.testing.steps import Playable

PATIENCE = Patience(connect=5, answer=30, total=60, retries=0)


class TestScriptedModel(ModelConformance):
    @contextmanager
    def open_model(self, steps: Iterable[Playable]) -> Iterator[Model]:
        model = ScriptedModel(steps)
        yield model
        assert not [one for one in model.script.problems if "is invalid" not in one]


class TestOpenAIOverTheNetwork(ModelConformance):
    @contextmanager
    def open_model(self, steps: Iterable[Playable]) -> Iterator[Model]:
        with StrictServer(steps) as server:
            route = parse_route("openai:strict-model", base_url=server.base_url)
            yield NetworkModel(route, "", patience=PATIENCE)
        server.assert_used_up()


class TestAnthropicOverTheNetwork(ModelConformance):
    @contextmanager
    def open_model(self, steps: Iterable[Playable]) -> Iterator[Model]:
        with StrictServer(steps) as server:
            route = parse_route("anthropic:strict-model", base_url=server.base_url)
            yield NetworkModel(route, "k", patience=PATIENCE)
        server.assert_used_up()


class TestFileStore(CuratedStoreConformance):
    def make_store(self) -> CuratedStore:
        return FileStore()
