"""The version, the same for all distributions that are released together."""

__version__ = "0.1.0"
