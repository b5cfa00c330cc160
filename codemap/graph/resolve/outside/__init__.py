"""Rules for what lies outside the repository, or is said of it there: declarations of outside modules, types of the
repository below outside ones, members of values from outside."""
