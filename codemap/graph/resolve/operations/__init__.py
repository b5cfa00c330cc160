"""What operators run: the members and functions that are defined for them."""
