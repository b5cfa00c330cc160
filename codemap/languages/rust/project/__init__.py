"""A Rust project: what a path means, crates, language servers."""
