"""`map_overview`: what a repository is, its parts, and what the rest leans on."""
