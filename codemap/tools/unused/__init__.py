"""`map_unused`: what nothing uses, and how sure that is."""
