"""`map_search`: definitions by name or in words."""
