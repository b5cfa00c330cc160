"""What operators run, and what calls find by their arguments: members, and functions that are defined for them."""
