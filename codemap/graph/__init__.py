"""Facts become one immutable snapshot of the symbol graph, and questions to it."""
