"""What happens: the effects of codemap, as Trio actors. `actors` imports `codemap`, never the reverse."""
