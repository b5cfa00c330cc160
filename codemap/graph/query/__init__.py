"""Questions to a snapshot: search, neighborhood, chains, importers, candidates of what could not be decided."""
