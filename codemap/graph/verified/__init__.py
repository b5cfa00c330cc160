"""What language servers confirmed, laid over the edges of a snapshot as long as the files stay as they are."""
