"""Which files of a root are there to index: the walk, ignore rules, and what only git knows."""
