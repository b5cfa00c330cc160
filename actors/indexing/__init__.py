"""From files on disk to the published map: the parser pool, the resolver, the store, and how current the map is."""
