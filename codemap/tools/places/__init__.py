"""Places of files as they are on disk now: lines, names, definitions around them."""
