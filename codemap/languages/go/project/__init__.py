"""A Go project: what an import path means, packages, language servers."""
