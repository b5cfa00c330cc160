"""Reads source bytes into `FileFacts`; bad source never raises."""
