"""Several roots as one map: how their imports meet, which of them belong together, and the map of those."""
