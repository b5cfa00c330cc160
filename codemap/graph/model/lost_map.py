"""What is raised where a stored map, which is read when it is touched, turns out to lack a part."""

from __future__ import annotations


class LostMap(Exception):
    """A part of the stored map that a snapshot reads is gone, damaged or unreadable; the message says which, as a
    clause. Nothing more is to be asked of the snapshot: a new one is built."""
