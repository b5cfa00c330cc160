"""What is true: the pure half of codemap. No I/O, clock, randomness or logging; `actors` holds the effects."""
