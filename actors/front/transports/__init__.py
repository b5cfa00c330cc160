"""Connects clients with the front: admission, connections, and frames of each transport. Knows nothing of tools."""
