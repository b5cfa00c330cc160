"""Facts that several machines share: names of entries, their envelope, what is left out of them, and when to ask."""
