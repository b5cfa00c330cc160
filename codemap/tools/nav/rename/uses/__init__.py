"""Uses of a name that is renamed: what of them the map, the language server and strings know."""
