"""Indexes over a snapshot that many questions share: columns, names, paths, misspelt words, rank."""
