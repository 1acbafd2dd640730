"""What the sessions of noxfile.py run: gates that count, and checks of the repository."""
