"""The front: the only place that knows MCP."""
