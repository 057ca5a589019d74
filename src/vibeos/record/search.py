"""Search over the record: messages by words, without a model.

A query keeps its rarest units within a budget of postings, which bounds the time at any size of the record. The
database ranks them by BM25 over a message and, lighter, the two before it; the best hundred are ranked again (`ranking`),
and what no score can tell apart is told apart by how much of the query a message holds, then by its age. Results are whole
messages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from vibeos.record.exact import cleaned
from vibeos.record.index import catch_up, holds_all, newest, own_terms
from vibeos.record.message import Message, message_of
from vibeos.record.ranking import Candidate, scores
from vibeos.record.search_query import SearchQuery, Unit, parse
from vibeos.record.snippet import snippet
from vibeos.values.analyser import index_terms
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.store import Database, Row, Transaction

POSTINGS = 20_000  # the budget of one query
_CANDIDATES = 100
_TRIES = 20
_CANDIDATES_BY_AGE = 300
_COMPLETIONS = 64  # of a prefix
_READ_FOR_COVERAGE = 4_000  # characters of a message


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message that was found, whole. A higher score is better; scores of two queries cannot be compared."""

    message: Message
    session_title: str
    project: str
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Where to look. None: any project, every user."""

    project: str | None = None
    user_id: str | None = ""
    exclude_session: str = ""


def search(database: Database, text: str, where: Filter, *, limit: int) -> tuple[SearchHit, ...]:
    """The best messages for what a person typed; nothing when there is nothing to look for."""
    query = parse(text)
    if not query.terms or limit < 1:
        return ()
    rows, query = _found_in_whole(database, query, where, max(limit, _CANDIDATES))
    ranked = sorted(_ranked(rows, query), key=lambda found: found.key, reverse=True)
    return tuple(found.hit(query) for found in ranked[:limit])


def _found_in_whole(
    database: Database, query: SearchQuery, where: Filter, most: int
) -> tuple[Sequence[Row], SearchQuery]:
    """The candidates in an index that holds every message that there is now, and the query with its prefixes completed.

    Another program may empty the index between bringing it up and reading it, so the reading looks again.
    """
    until = newest(database)
    for _ in range(_TRIES):
        catch_up(database)
        with database.read() as transaction:
            if not holds_all(transaction, until):
                continue
            completed = replace(query, wanted=_completed(transaction, query.wanted))
            rows = _candidates(transaction, completed, where, most) if completed.terms else []
        return rows, completed
    raise StoreError("The search index is being made again all the time.", remedy="Try again later.")


@dataclass(frozen=True, slots=True)
class _Found:
    message: Message
    row: Row
    score: float
    coverage: float

    @property
    def key(self) -> tuple[float, float, str, int]:
        return round(self.score, 3), self.coverage, self.message.created_at, self.message.id

    def hit(self, query: SearchQuery) -> SearchHit:
        title, project = self.row["session_title"], self.row["session_project"]
        return SearchHit(self.message, title, project, self.score, snippet(self.message.text, query.terms))


def _ranked(rows: Sequence[Row], query: SearchQuery) -> list[_Found]:
    candidates = [_candidate(row, query.terms) for row in rows]
    return [
        _Found(one.message, row, score, one.covered)
        for one, row, score in zip(candidates, rows, scores(candidates), strict=True)
    ]


def _candidate(row: Row, asked: frozenset[str]) -> Candidate:
    message = message_of(row)
    terms = set(own_terms(message.text[:_READ_FOR_COVERAGE], message.author_name, message.created_at).split())
    author = set(index_terms(message.author_name))
    return Candidate(message, -row["rank"], len(terms & asked) / len(asked), bool(author & asked))


def _candidates(transaction: Transaction, query: SearchQuery, where: Filter, most: int) -> list[Row]:
    """By rank as far as the budget goes; what is in too many messages to rank, by age."""
    wanted = _within_budget(transaction, query.wanted)
    too_common = any(_postings(transaction, unit) > POSTINGS for unit in query.required)
    by_age = too_common or not (wanted or query.required)
    limits = {"most": max(most, _CANDIDATES_BY_AGE), "postings": POSTINGS} if by_age else {"most": most}
    return transaction.all(
        "found_by_age" if by_age else "found_by_rank",
        expression=expression(query if by_age else replace(query, wanted=wanted)),
        project=None if where.project is None else cleaned(where.project),
        user_id=None if where.user_id is None else cleaned(where.user_id),
        exclude_session=cleaned(where.exclude_session),
        **limits,
    )


def _completed(transaction: Transaction, units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units, each that may go on replaced by words of the index that begin so."""
    completed: list[Unit] = []
    for unit in units:
        if not unit.begins:
            completed.append(unit)
            continue
        (first,) = unit.terms
        rows = transaction.all("terms_that_begin", first=first, last=f"{first}\U0010ffff", most=_COMPLETIONS)
        completed += [Unit((row["term"],)) for row in rows]
    return tuple(completed)


def _within_budget(transaction: Transaction, units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The rarest units that the budget pays for; none when even the rarest is too common."""
    counted = sorted(((_postings(transaction, unit), unit) for unit in units), key=lambda pair: pair[0])
    costs = accumulate(postings for postings, _ in counted)
    return tuple(unit for (_, unit), cost in zip(counted, costs, strict=True) if cost <= POSTINGS)


def _postings(transaction: Transaction, unit: Unit) -> int:
    """In how many messages the unit can be at most: those that hold its rarest term. Counted up to the budget."""
    return min(_count(transaction, Unit((term,))) for term in unit.terms)


def _count(transaction: Transaction, unit: Unit) -> int:
    row = transaction.one("count_postings", expression=_quoted(unit), most=POSTINGS + 1)
    return int(row["postings"]) if row else 0


def expression(query: SearchQuery) -> str:
    """The query in the language of FTS5. Terms hold no quote, and every one is quoted."""
    required = [_own(unit) for unit in query.required]
    wanted = " OR ".join([*required, *map(_quoted, query.wanted)])
    found = " AND ".join([*required, f"({wanted})"]) if wanted else ""
    unwanted = " OR ".join(map(_own, query.unwanted))
    return f"({found}) NOT ({unwanted})" if unwanted else found


def _quoted(unit: Unit) -> str:
    return f'"{" ".join(unit.terms)}"'


def _own(unit: Unit) -> str:
    return f"own : {_quoted(unit)}"
