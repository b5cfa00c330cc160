"""In which batches the files of a round are read, and where their facts come from."""
