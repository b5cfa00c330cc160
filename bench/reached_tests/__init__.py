"""Which tests reach a function: what `map_impact` says, against the functions that each test of real suites ran."""
