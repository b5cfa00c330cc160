"""Java: its language server."""
