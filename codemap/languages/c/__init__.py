"""C and C++: their language server."""
