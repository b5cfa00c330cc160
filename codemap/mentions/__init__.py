"""Every occurrence of a name as a word, and what it is there: see `words`, `accounts`, `shown`."""
