"""The page of `codemap view`: who may see it, and how its questions reach the service of the repository."""
