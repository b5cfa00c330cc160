"""How likely each candidate of an undecided use is meant, by what is in the source around it."""
