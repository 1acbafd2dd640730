"""Every vector through ``hurray``, as a black box, beside what the reference says of it."""
