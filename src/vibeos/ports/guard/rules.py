"""The table of rules: everything that the scan stops, why, and what it must stop and pass.

Grouped by kind, the worst first. To add a rule, add a row with its examples to a module of `table`; the tests
read them from here. A mention is not an attack: a row stops what tells a reader to act, not what names the thing.
"""

from __future__ import annotations

from vibeos.ports.guard.rule import SCOPES, Rule
from vibeos.ports.guard.table.backdoors import BACKDOOR
from vibeos.ports.guard.table.characters import INVISIBLE
from vibeos.ports.guard.table.exfiltration import EXFILTRATE
from vibeos.ports.guard.table.hiding import HIDE
from vibeos.ports.guard.table.override import OVERRIDE
from vibeos.ports.guard.table.roles import ROLE

__all__ = ["RULES", "SCOPES", "Rule"]

RULES: tuple[Rule, ...] = (*EXFILTRATE, *BACKDOOR, *OVERRIDE, *HIDE, *ROLE, *INVISIBLE)
