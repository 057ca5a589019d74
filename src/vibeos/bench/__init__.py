"""Benchmarks that are part of the product: worlds made from a seed, in which what VibeOS promises can be seen to hold."""
