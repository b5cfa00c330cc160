"""What codemap needs of the operating system: processes that start isolated and end with it, memory, a socket."""
