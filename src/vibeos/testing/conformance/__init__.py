"""What every adapter of a Protocol must do, as test classes to inherit from. They need pytest.

class TestMyStore(CuratedStoreConformance):
    def make_store(self) -> CuratedStore:
        return MyStore()
"""

from __future__ import annotations

import pytest

# Else a failed assert in there would say nothing but that it failed.
pytest.register_assert_rewrite("vibeos.testing.conformance.curated", "vibeos.testing.conformance.models")

from vibeos.testing.conformance.curated import CuratedStoreConformance  # noqa: E402 - behind the line above
from vibeos.testing.conformance.models import Ears, ModelConformance  # noqa: E402 - the same

__all__ = ["CuratedStoreConformance", "Ears", "ModelConformance"]
