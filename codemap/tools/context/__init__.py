"""`map_context`: what a task is about, with the code that it needs, in one reply."""
