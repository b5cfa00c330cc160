"""The history of the repository: read from git once, stored, and continued when the head moves."""
