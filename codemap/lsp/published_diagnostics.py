"""The diagnostics that a server published of open documents, as long as they may be of the present state.

A publication counts for the version that it names, and until anything is changed: it may depend on other files.

Source: LSP 3.17, `textDocument/publishDiagnostics`.
"""

from __future__ import annotations

import msgspec


class Published:
    """By file, as questions name it."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, msgspec.Raw]] = {}

    def keep(self, file: str, version: int | None, diagnostics: msgspec.Raw) -> None:
        """The last counts. One without a version says nothing."""
        self._found.pop(file, None)
        if version is not None:
            self._found[file] = (version, msgspec.Raw(bytes(diagnostics)))

    def forget(self, file: str) -> None:
        """What was published of a file so far is not what is asked for."""
        self._found.pop(file, None)

    def outdate(self) -> None:
        """Something changed: nothing that was published so far counts."""
        self._found.clear()

    def of(self, file: str, version: int) -> msgspec.Raw | None:
        """Those of exactly this version; None where there are none yet."""
        found = self._found.get(file)
        return found[1] if found is not None and found[0] == version else None
