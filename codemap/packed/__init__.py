"""Arrays and texts as bytes that are read as they lie, without a copy."""
