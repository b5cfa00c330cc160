"""`nav_callHierarchy`: trees of calls, from a language server or the map, and how they are shown."""
