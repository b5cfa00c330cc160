"""MCP on a connection: what clients ask first, tool calls, and the SDK for all else."""
