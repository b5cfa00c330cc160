"""Work-done progress: what a server says of its work.

Source: LSP 3.17, window/workDoneProgress and $/progress.
"""

from __future__ import annotations

import msgspec

from codemap.lsp import protocol_structs


class Work(msgspec.Struct, frozen=True):
    """One piece of work that goes on."""

    title: str
    message: str = ""
    percentage: float | None = None

    @property
    def text(self) -> str:
        """`indexing 3/7 40 %`"""
        share = "" if self.percentage is None else f"{self.percentage:.0f} %"
        return " ".join(part for part in (self.title.strip(), self.message.strip(), share) if part)


Token = int | str


def advance(work: dict[Token, Work], token: Token, done: protocol_structs.WorkDone) -> dict[Token, Work]:
    """The work that goes on after a progress notification, oldest first."""
    match done.kind:
        case "begin":
            rest = {key: value for key, value in work.items() if key != token}
            return rest | {token: Work(done.title, done.message or "", done.percentage)}
        case "report" if token in work:
            before = work[token]
            message = before.message if done.message is None else done.message
            percentage = before.percentage if done.percentage is None else done.percentage
            return work | {token: Work(before.title, message, percentage)}
        case "end":
            return {key: value for key, value in work.items() if key != token}
        case _:
            return work
