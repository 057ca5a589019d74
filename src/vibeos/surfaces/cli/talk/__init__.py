"""The chat in a terminal. Nothing here stores or decides: it types, shows and asks for `app`.

talking   the conversation: what is typed goes to it, its turns run beside the prompt
keyboard  the prompt (prompt_toolkit); `plain` is its stand-in on a terminal that cannot move its cursor
asking    the person, as a turn's tools can ask them
shown     a turn's progress as lines: the answer, the calls
blocks    an answer that is still being written, cut where Markdown lets it be cut
ink       text to what the terminal is given: Markdown rendered, control characters shown
wrapping  long lines broken at their blanks
commands  the table of slash commands
on_the_way  what `chat -q` says beside its answer
"""
