"""Accounts for every occurrence of a name as a word: what each one is. See `accounts`."""
