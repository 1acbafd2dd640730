"""What ``hurray inspect`` and ``hurray verify`` know about a file."""
