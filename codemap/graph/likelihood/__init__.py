"""How likely each candidate of an undecided use is meant, by what stands in the source around it."""
