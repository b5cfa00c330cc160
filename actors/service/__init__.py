"""The running service of one root: the wiring of all its actors, and the real ports."""
