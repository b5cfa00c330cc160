"""What an edit changes: which files are bound again, and which of their edges stay as they were."""
