"""Parsing on the machines of a Dask cluster: the client that is asked here, and what runs on its workers."""
