"""A PHP project: what a name means, packages, language servers."""
