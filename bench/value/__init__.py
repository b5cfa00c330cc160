"""What codemap is worth to an agent: forty questions with known answers, asked of it and of ripgrep."""
