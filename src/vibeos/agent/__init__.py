"""The agent: a turn as named steps over values. It uses memory and record; they never import it."""
