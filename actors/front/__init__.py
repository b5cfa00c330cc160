"""The front: speaks MCP with clients, and takes each call to its reply. The only place that knows MCP."""
