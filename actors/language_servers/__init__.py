"""Language servers: the supervisor of a language family, restarts after crashes, and the verifier of the map's
edges."""
