"""The main job on a real checkpoint; ``nox -s demo`` runs it, and a test runs it on every checkpoint."""
