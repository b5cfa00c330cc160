"""One life of one language server, from its start to its end, and the parts that it is made of."""
