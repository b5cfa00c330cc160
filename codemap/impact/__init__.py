"""What a change may break: who is reached from changed definitions, which tests among them, and how much that is."""
