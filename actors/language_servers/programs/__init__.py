"""The programs that are language servers: finding one that may be run, and its process."""
