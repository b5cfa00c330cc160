"""What git's log says of the lines of a repository: who changed them, when, and what changes together."""
