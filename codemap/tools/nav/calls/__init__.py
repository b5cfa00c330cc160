"""`nav_callHierarchy`: a tree of calls, who knows it, and how it is shown."""
