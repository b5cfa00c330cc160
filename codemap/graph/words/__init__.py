"""Search in words: which definitions a question is about, by the words that they are written in."""
