"""One life of one language server, and what it is made of."""
