"""What commands answer reviews and scanners: Markdown comments, SARIF logs, exit codes."""
