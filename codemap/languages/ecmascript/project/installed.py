"""Which package a file outside the repository belongs to, by where npm keeps them."""

from __future__ import annotations

_FOLDER = "node_modules"
_TYPES = "@types"
_PLATFORM = "node"
_COMPILER = "typescript"


def package_of(path: str) -> str:
    """The package that an import of it names; empty where the path does not show it, or no import is needed.

    `…/node_modules/@types/react/index.d.ts` is of `react`, `…/@types/node/fs.d.ts` of `fs`.
    """
    parts = path.split("/")
    if _FOLDER not in parts:
        return ""
    inside = parts[len(parts) - parts[::-1].index(_FOLDER) :]
    if len(inside) > 2 and inside[0] == _TYPES:
        if inside[1] == _PLATFORM:
            return inside[-1].partition(".")[0]
        scope, mark, name = inside[1].partition("__")
        return f"@{scope}/{name}" if mark else scope
    if len(inside) > 2 and inside[0].startswith("@"):
        return "/".join(inside[:2]) if inside[0] != f"@{_COMPILER}" else ""
    return inside[0] if len(inside) > 1 and inside[0] != _COMPILER else ""
