"""Parser processes: how one is started away from the repository, spoken to, and ended."""
