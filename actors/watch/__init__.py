"""How changes on disk are noticed: the watcher, and inotify."""
