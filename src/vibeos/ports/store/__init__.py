"""The store port: a database as transactions over named statements.

What the record asks of a database stands in `database.py`; `sqlite/` is the default adapter. SQL lives in files,
one folder per dialect and so do the numbered migrations (`definition.py`). Importing this
package loads no database library.
"""

from __future__ import annotations

from vibeos.ports.store.database import Database, QueryLimits, QueryResult, Row, Transaction, Value
from vibeos.ports.store.definition import Definition, Migration

__all__ = [
    "Database",
    "Definition",
    "Migration",
    "QueryLimits",
    "QueryResult",
    "Row",
    "Transaction",
    "Value",
]
