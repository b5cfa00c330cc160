"""`map_metrics`: how large and complex functions, classes, files and folders are, and how many use them."""
