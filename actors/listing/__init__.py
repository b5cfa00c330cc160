"""Lists the files of a root to index: a walk by ignore rules, and what only git knows."""
