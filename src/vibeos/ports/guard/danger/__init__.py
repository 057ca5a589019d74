"""Danger: which shell commands a person should agree to before an agent runs them.

It is a seat belt, not a wall. It sees what stands in the command, through the usual ways of quoting, joining and
wrapping: the ordinary dangerous command, also when a model did not mean it to be one. It is no sandbox against a
hostile program: it does not know what a script, a variable from outside or a program of its own will do once it runs,
and whoever wants to get past it can.

A sandbox would stand elsewhere: around the process and not around its text, where `agent/running.py` and
`agent/keeper.py` start commands (name spaces, a container, another user of the system). Who lets an agent work on what
must not be lost gives VibeOS such a place to run in. What holds here:

- A mention is not an attack: text that is only printed, searched for or committed passes.
- What cannot be parsed (a quote that is never closed) is judged by its raw words.
- What is too long or too deep to be read in time counts as a danger. The effort is linear and limited.

`judge` goes through a command; `reader` takes it apart into simple commands, `unwrap` finds what each starts, `calls`
asks it what rules need to know, `place` follows where its paths lead. `rules` and `path_rules` are the tables.
"""

from __future__ import annotations

from vibeos.ports.guard.danger.judge import Danger, danger_of

__all__ = ["Danger", "danger_of"]
