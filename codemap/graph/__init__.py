"""The symbol graph: built from facts into immutable snapshots, and queried."""
