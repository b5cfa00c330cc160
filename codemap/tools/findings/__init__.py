"""`map_findings`: what security and lint tools report, by definition, and how each place is reached."""
