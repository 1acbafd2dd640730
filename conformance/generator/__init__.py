"""Makes ``conformance/vectors/`` from the reference codec, the same bytes each time."""
