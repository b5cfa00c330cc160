"""Items that calls of macros hold or make."""
