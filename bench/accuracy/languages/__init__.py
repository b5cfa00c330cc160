"""How right the edges of the languages beside Python, TypeScript and JavaScript are."""
