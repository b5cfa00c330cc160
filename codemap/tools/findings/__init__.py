"""`map_findings`: what security and lint tools report, joined to definitions and to who leads to them."""
