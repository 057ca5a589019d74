"""Checkpoints: how a conversation of any length keeps its goal, the person's words and its next step.

When a request would no longer fit, the older part of a conversation is replaced by three things that change in three ways:

| part | what | how it changes |
|---|---|---|
| mind | the agent's slowly revised understanding | edited in place; a mission is never removed or weakened |
| memo | the person's own words | the model only ticks; the program copies them from the record |
| now | the working state | written afresh each time |

| module | what |
|---|---|
| `context` | the messages of a request, a pure function of stored rows |
| `limits`, `cutting` | how much fits; where a context may be cut |
| `room` | before each request: a checkpoint, a drop, a cut, or the request as it is |
| `writing`, `turn`, `scratch`, `request` | one checkpoint by the model: its two files, the forked turn, what it is asked |
| `mind`, `memo`, `now` | each part: what is asked of it, judged, and shown |
| `known`, `skills_back`, `person` | what the program knows: files, saves, a log; skills; what the person said |
| `draft`, `assembly`, `state` | from these to a text and back from what is stored |

**A checkpoint that fails changes nothing.** One transaction of the record commits it: the old context or the new one. It
never imports the agent: whoever runs a conversation gives a `Host` and asks a `RoomMaker` before each request.
"""
