"""Compares two versions of files, definition by definition: what was added, removed, moved, renamed or edited."""
