"""`map_path`: how one definition reaches another, in the direction of calls."""
