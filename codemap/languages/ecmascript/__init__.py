"""What TypeScript and JavaScript share: the walk over their syntax trees, and how their module specifiers become files."""
