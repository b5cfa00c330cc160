"""`resolve`, from node IDs to places and from places to node IDs."""
