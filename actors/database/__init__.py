"""The database of the store: its tables, reads and writes, and errors of its file. No actor, no Trio."""
