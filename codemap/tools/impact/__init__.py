"""`map_impact`: what a change may break, and which tests show it."""
