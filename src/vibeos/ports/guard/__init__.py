"""Guard: what may enter memory and prompts (scan), who agreed to it (approval), and files that lose nothing."""
