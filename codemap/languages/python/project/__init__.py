"""A Python project: what an import means, packages, language servers."""
