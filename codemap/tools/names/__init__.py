"""Names and IDs as people, models, sources and tools write them."""
