"""Fuzzers of what reads bytes from strangers."""
