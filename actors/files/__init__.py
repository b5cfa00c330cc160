"""Paths, roots, checkouts and single files on disk, read under codemap's rules; which repositories the user trusts."""
