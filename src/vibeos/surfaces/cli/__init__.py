"""The command line: `vibeos`, and `vibe` as a second name of it."""
