"""`map_neighbors`: what is around a node, in full rows or compact ones."""
