"""FiftyCheckpoints: does a conversation keep its goal, the person's words and its place through fifty checkpoints?

| module | what |
|---|---|
| `words`, `world` | a seeded world: a queue behind a tool, a person who sets and changes rules, forgers |
| `lines`, `reading` | a context as plain lines, and what a careful reader finds in them; no code of ours reads for itself |
| `note_takers` | who writes the notes: perfect, lazy, lossy, gullible, malformed, or one that evicts rules |
| `arms`, `ours` | how a context is kept: other ways, and our checkpoints |
| `probes`, `runs` | what is measured, and the run |
| `goals`, `report` | what our arm must show, and how it is told |

The probes are computed from the world's own seed and see nothing but lines and a look-up by number, so nothing grades
itself. A scripted note-taker proves what the program guarantees, not what a model can do.
"""
