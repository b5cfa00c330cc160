"""Rust: its language server."""
