"""A Ruby project: what `require` means, packages, language servers."""
