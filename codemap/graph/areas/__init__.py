"""The parts of a repository: which files they have, what is at their heart, how they use one another."""
