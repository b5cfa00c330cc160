"""How clients reach the front: who may come in, over which connection, in which frames. Knows nothing of tools."""
