"""Notices changes on disk: the watcher, inotify, and what is pending."""
