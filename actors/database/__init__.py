"""The database of the store: tables, reads and writes, and what may be wrong with its file. No actor, no Trio."""
