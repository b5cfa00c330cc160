"""`nav_diagnostics`: what language servers find wrong in changed files and in what depends on them."""
