"""Which tools an agent has in a conversation. Each turn gets its own, so that what a tool counts is the turn's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.agent.tools.ask import AskTool
from vibeos.agent.tools.bash import BashTool
from vibeos.agent.tools.edit import EditTool
from vibeos.agent.tools.jobs import JobsTool
from vibeos.agent.tools.memory import MemoryTool
from vibeos.agent.tools.read import ReadTool
from vibeos.agent.tools.search import SearchTool
from vibeos.agent.tools.write import WriteTool
from vibeos.agent.toolsets import ToolsetGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.agent.commands import CommandJobs
    from vibeos.agent.person import Person
    from vibeos.agent.toolsets import Toolset
    from vibeos.agent.workplace import Workplace
    from vibeos.app.vibeos import VibeOS
    from vibeos.record import Session


def make_toolset(
    app: VibeOS,
    session: Session,
    place: Workplace,
    jobs: CommandJobs,
    person: Person,
    *,
    more: Sequence[Toolset] = (),
) -> ToolsetGroup:
    """The tools of one turn, always in the same order: their bytes begin every request. `more`: the embedder's own."""
    dangerous = app.config.text("tools.dangerous_commands")
    memory: list[Toolset] = []
    if app.memory.curated.settings.targets:
        memory.append(MemoryTool(app.memory.curated, app.catalogue))
    return ToolsetGroup(
        [
            *memory,
            SearchTool(app.record, session),
            ReadTool(place),
            WriteTool(place),
            EditTool(place),
            BashTool(place, jobs, person, dangerous),
            JobsTool(jobs),
            AskTool(app.record, session.id, person),
            *more,
        ]
    )
