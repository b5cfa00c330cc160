"""A project of TypeScript or JavaScript: what a specifier means, packages, language servers."""
