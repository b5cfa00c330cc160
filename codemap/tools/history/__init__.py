"""`map_history`: who changed a definition or file, when and why, what changes with it, and where change is costly."""
