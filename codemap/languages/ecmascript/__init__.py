"""What TypeScript and JavaScript share: the walk over their syntax trees, and how specifiers become files."""
