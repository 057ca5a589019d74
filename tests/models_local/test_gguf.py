"""The head of a GGUF file: what is read of it, and that nothing else is taken for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models_local.gguf_files import CHATML, head, small_model
from vibeos.ports.models.gguf import read_head
from vibeos.ports.models.local import TEMPLATE_WITH_TOOLS, leaves_tools_out
from vibeos.values.errors import ModelNotConfiguredError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_head_tells_the_window_and_the_template(tmp_path: Path) -> None:
    found = read_head(str(small_model(tmp_path / "m.gguf", window=2_048)))
    assert (found.trained_window, found.chat_template) == (2_048, CHATML)
    assert found.size == (tmp_path / "m.gguf").stat().st_size


def test_a_file_that_does_not_say_has_no_window_and_no_template(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(head({"general.architecture": "llama", "llama.context_length": "many"}))
    found = read_head(str(path))
    assert (found.trained_window, found.chat_template) == (0, "")


@pytest.mark.parametrize("length", [0, 3, 4, 10, 30, 60, 120])
def test_a_file_that_ends_within_its_head_is_named(tmp_path: Path, length: int) -> None:
    path = small_model(tmp_path / "cut.gguf")
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ModelNotConfiguredError, match=r"cut\.gguf"):
        read_head(str(path))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04" + b"\0" * 100, "does not begin like one"),
        (head({}, version=99), "version is 99"),
        (b"GGUF" + b"\x03\0\0\0" + b"\xff" * 16, "keys"),
    ],
)
def test_what_is_no_gguf_file_is_told_why(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(data)
    with pytest.raises(ModelNotConfiguredError, match=said) as caught:
        read_head(str(path))
    assert caught.value.remedy


@given(noise=st.binary(max_size=300), place=st.integers(0, 200))
def test_damage_is_an_error_of_ours_or_a_head_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int
) -> None:
    path = small_model(tmp_path_factory.mktemp("damaged") / "m.gguf")
    whole = path.read_bytes()
    path.write_bytes(whole[:place] + noise + whole[place + len(noise) :])
    refused = refusal(str(path))
    assert refused == "" or "m.gguf" in refused


def refusal(path: str) -> str:
    try:
        read_head(path)
    except ModelNotConfiguredError as error:
        return error.message
    return ""


def test_only_chatml_templates_without_tools_are_replaced() -> None:
    assert leaves_tools_out(CHATML)
    assert not leaves_tools_out(TEMPLATE_WITH_TOOLS)
    assert not leaves_tools_out("[INST] {{ messages[0].content }} [/INST]")
    assert not leaves_tools_out("")
