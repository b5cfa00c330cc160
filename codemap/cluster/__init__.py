"""A cluster that parses files: how it is named, what it is sent, and what is accepted of what it answers."""
