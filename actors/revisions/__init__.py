"""Reads versions of a repository from git: commits, trees, the index and their contents."""
