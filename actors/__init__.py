"""The effects of codemap (files, processes, clients), as Trio actors. `actors` imports `codemap`, never the reverse."""
