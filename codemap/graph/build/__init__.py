"""Facts become a snapshot: files are bound, edges assembled, tables spliced, packed and read back."""
