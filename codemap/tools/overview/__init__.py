"""`map_overview`: what a repository is, its parts, and its central definitions."""
