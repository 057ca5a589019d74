"""`local:FILE.gguf` where it cannot be run: said when it is opened, with what to do. No extra is needed for these."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from models_local.gguf_files import small_model
from vibeos.ports.models.local import USUAL_WINDOW, LocalModel
from vibeos.ports.models.route import parse_route
from vibeos.values.errors import ModelNotConfiguredError

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.ports.models.route import Route


def route_to(path: Path, window: int | None = None) -> Route:
    return parse_route(f"local:{path}", context_window=window)


@pytest.fixture
def _extra_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something that can be found under the extra's name; these tests never load it."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "xllamacpp.py").write_text("raise AssertionError('not to be loaded')\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)


def test_without_the_extra_the_way_to_install_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelNotConfiguredError, match="not installed") as caught:
        LocalModel(route_to(small_model(tmp_path / "m.gguf")))
    assert "pip install 'vibeos[local]'" in caught.value.remedy


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotConfiguredError, match=r"there is no file .*nowhere\.gguf"):
        LocalModel(route_to(tmp_path / "nowhere.gguf"))


def test_a_folder_and_a_text_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(ModelNotConfiguredError, match="cannot be read"):
        LocalModel(route_to(tmp_path))
    (tmp_path / "notes.gguf").write_text("Dear diary,\n")
    with pytest.raises(ModelNotConfiguredError, match="no whole GGUF file"):
        LocalModel(route_to(tmp_path / "notes.gguf"))


@pytest.mark.usefixtures("_extra_is_there")
@pytest.mark.parametrize(
    ("trained", "configured", "window"),
    [
        (2_048, None, 2_048),
        (131_072, None, USUAL_WINDOW),
        (131_072, 32_768, 32_768),
        (2_048, 32_768, 2_048),
        (0, None, USUAL_WINDOW),
    ],
)
def test_the_window_is_what_is_configured_as_far_as_the_model_was_trained_for_it(
    tmp_path: Path, trained: int, configured: int | None, window: int
) -> None:
    model = LocalModel(route_to(small_model(tmp_path / "m.gguf", window=trained), configured))
    assert (model.route.context_window, model.route.input_limit) == (window, window)


@pytest.mark.usefixtures("_extra_is_there")
def test_a_path_with_blanks_and_a_home_folder_are_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "my models").mkdir()
    small_model(tmp_path / "my models" / "m.gguf", window=1_024)
    model = LocalModel(parse_route("local:~/my models/m.gguf"))
    assert model.route.context_window == 1_024
