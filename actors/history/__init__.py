"""The history of the repository: read from git once, kept, and continued when what is checked out moves."""
