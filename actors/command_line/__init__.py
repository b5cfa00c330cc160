"""The command line: parses commands, joins a service or runs one, and shows answers to people."""
