"""How a terminal shows answers: colors, columns, trees, bars."""
