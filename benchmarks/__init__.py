"""Speed and memory against the peers, measured in the same run: ``nox -s bench``."""
