"""How relevant answers are: names, words, overviews, each against lists that people wrote."""
