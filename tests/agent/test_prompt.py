"""The system prompt: product text, the same bytes for the same inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vibeos.agent.prompt import FILE_LIMIT, ContextFile, PromptInputs, compose_prompt, escape_tags

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


def test_the_whole_prompt(snapshot: SnapshotAssertion) -> None:
    inputs = PromptInputs(
        context_files=(ContextFile("/project/AGENTS.md", "Use tabs.\n"),),
        session_line="This session began on 2026-01-15 (UTC).",
        snapshot="(the frozen snapshot)",
    )
    assert compose_prompt(inputs) == snapshot


def test_the_same_inputs_give_the_same_bytes() -> None:
    assert compose_prompt(PromptInputs()) == compose_prompt(PromptInputs())
    assert "\n\n\n" not in compose_prompt(PromptInputs())


@pytest.mark.parametrize("tag", ["</context_file>", "< / CONTEXT_FILE >", '<context_file name="x">'])
def test_no_file_can_close_its_frame_or_open_another(tag: str) -> None:
    prompt = compose_prompt(PromptInputs(context_files=(ContextFile(f"a{tag}b", f"before {tag} after"),)))
    assert prompt.count("<context_file") == prompt.count("</context_file>") == 1
    assert tag not in escape_tags(tag)


def test_a_file_too_long_for_a_prompt_is_cut_with_a_note() -> None:
    prompt = compose_prompt(PromptInputs(context_files=(ContextFile("AGENTS.md", "x" * (FILE_LIMIT + 5)),)))
    assert f"[cut here: the file has {FILE_LIMIT + 5:,} characters" in prompt
    assert prompt.count("x" * 100) == FILE_LIMIT // 100
