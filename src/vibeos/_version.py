"""The version, in one place that costs nothing to import."""

__version__ = "0.1.0"
