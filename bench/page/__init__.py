"""How fast the page of `codemap view` is drawn, and how smoothly its map moves, by the browser's own trace."""
