"""How right the edges are, against oracles that the project did not write."""
