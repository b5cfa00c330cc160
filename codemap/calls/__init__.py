"""Whether the arguments of a call fit the parameters of what it calls."""
