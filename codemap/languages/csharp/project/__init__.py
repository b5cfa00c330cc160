"""A C# project: what a namespace means, packages, language servers."""
