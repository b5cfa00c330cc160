"""The command line: what may be said, how a command joins a service or runs alone, and what people read."""
