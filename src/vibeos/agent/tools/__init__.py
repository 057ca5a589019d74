"""The agent's own tools, one module each."""
