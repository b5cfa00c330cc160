"""A C project: what an include means, packages, builds, language servers."""
