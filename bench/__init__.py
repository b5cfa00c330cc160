"""Measurements: `python -m bench`. What fast, scaling and right mean here, as ratios and counts."""
