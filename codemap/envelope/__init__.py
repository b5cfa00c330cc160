"""Turns an answer into a reply that fits its token budget."""
