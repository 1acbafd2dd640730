"""What one row runs in an interpreter of its own; each prints one line of JSON."""
