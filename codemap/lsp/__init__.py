"""The language server protocol from the client's side, without I/O: bytes in, events out."""
