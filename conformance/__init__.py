"""What judges implementations of the format: a reference codec, vectors, and their verdicts."""
