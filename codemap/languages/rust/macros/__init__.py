"""What calls of macros hold, make or start."""
