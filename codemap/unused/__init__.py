"""Definitions, exports and files that nothing uses, and how sure that is: see `steps`, `uses`, `roots`, `findings`."""
