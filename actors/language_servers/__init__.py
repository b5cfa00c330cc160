"""Language servers over all their lives: the supervisor of a family, its standing, and the verifier that asks them."""
