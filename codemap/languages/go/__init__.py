"""Go: its language server."""
