"""What code outside of the repository runs, and nothing here calls by its name: fixtures, methods that a base outside
calls, functions that are registered for events."""
