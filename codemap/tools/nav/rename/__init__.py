"""`nav_rename`: a symbol renamed by its language server, held against the map before anyone applies it."""
