"""`map_neighbors`: the neighbors of a node, in full rows or compact ones."""
