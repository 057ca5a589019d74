"""Operations as a pure function."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vibeos.memory.curated.entries import clean, fault_of, length
from vibeos.memory.curated.operations import Action, Operation, Outcome
from vibeos.memory.curated.plan import Fault, Plan, make_plan

words = st.sampled_from(
    ["uses vim", "uses vim keys", "likes tea", "likes teal", "x" * 60, "ё", "", "a\n§\nb", "# h\nbody"]
)
operations = st.builds(Operation, st.sampled_from(list(Action)), words, words)
stores = st.lists(words.map(clean).filter(lambda entry: not fault_of(entry)), unique=True, max_size=5).map(
    tuple
)


@given(stores, st.lists(operations, min_size=1, max_size=4), st.integers(10, 200))
def test_a_plan_holds_the_limit_or_shrinks_the_store(
    entries: tuple[str, ...], wanted: list[Operation], limit: int
) -> None:
    plan = make_plan(entries, wanted, limit)
    if isinstance(plan, Plan):
        assert length(plan.entries) <= max(limit, length(entries))
        assert len(plan.changes) == len(wanted)
        assert len(set(plan.entries)) == len(plan.entries)


@given(stores, st.lists(operations, min_size=1, max_size=4))
def test_what_no_operation_names_is_still_there(entries: tuple[str, ...], wanted: list[Operation]) -> None:
    plan = make_plan(entries, wanted, 10_000)
    if isinstance(plan, Plan):
        touched = {change.before for change in plan.changes}
        assert set(entries) - touched <= set(plan.entries)


def only(entries: tuple[str, ...], operation: Operation, limit: int = 2_200) -> Plan | Fault:
    return make_plan(entries, [operation], limit)


def test_a_text_that_equals_one_whole_entry_means_that_entry() -> None:
    plan = only(("uses vim", "uses vim keys in VS Code"), Operation(Action.REMOVE, old_text="uses vim"))
    assert isinstance(plan, Plan)
    assert plan.entries == ("uses vim keys in VS Code",)


def test_a_part_of_several_entries_is_an_error_that_names_them() -> None:
    fault = only(("likes tea", "likes teal"), Operation(Action.REMOVE, old_text="likes te"))
    assert isinstance(fault, Fault)
    assert fault.problem.key == "memory.ambiguous"
    assert fault.problem.matches == ("likes tea", "likes teal")


def test_a_part_of_a_hand_written_document_does_not_stand_for_the_whole() -> None:
    document = "# Notes\n- use tabs\n- port 2222"
    fault = only((document,), Operation(Action.REMOVE, old_text="port 2222"))
    assert isinstance(fault, Fault)
    assert fault.problem.key == "memory.document"
    whole = only((document,), Operation(Action.REMOVE, old_text=document))
    assert isinstance(whole, Plan)
    assert whole.entries == ()


def test_only_the_final_state_of_a_batch_is_held_to_the_limit() -> None:
    entries = ("a" * 397, "b" * 1_600)
    batch = [Operation(Action.ADD, "c" * 500), Operation(Action.REMOVE, old_text="a" * 10)]
    assert isinstance(make_plan(entries, batch, 2_200), Plan)


def test_an_overfull_store_may_always_be_made_smaller() -> None:
    plan = only(("a" * 300, "b" * 300), Operation(Action.REPLACE, "a" * 100, "a" * 10), limit=100)
    assert isinstance(plan, Plan)


def test_replacing_by_an_entry_that_exists_leaves_one_of_the_two() -> None:
    plan = only(("one", "two"), Operation(Action.REPLACE, "two", "one"))
    assert isinstance(plan, Plan)
    assert plan.entries == ("two",)
    assert plan.changes[0].outcome is Outcome.MERGED


def test_decomposed_and_composed_letters_count_and_match_alike() -> None:
    plan = only((), Operation(Action.ADD, "е\u0308" * 90), limit=100)
    assert isinstance(plan, Plan)
    assert length(plan.entries) == 90
    assert isinstance(only(plan.entries, Operation(Action.REMOVE, old_text="ё" * 3)), Plan)
