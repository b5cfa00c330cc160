"""What the graph is made of: values, definitions, edges, files, and one immutable snapshot of them."""
