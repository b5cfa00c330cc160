"""`map_graph`: the files and definitions of a repository and the edges between them, for programs that draw them."""
