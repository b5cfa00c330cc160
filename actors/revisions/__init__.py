"""States of a repository by what git keeps of them: commits, trees, the index and their contents."""
