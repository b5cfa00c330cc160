"""What follows from a question alone, whatever server is asked it."""

from __future__ import annotations

from collections.abc import Set

from codemap.languages import language_of
from codemap.live import (
    CallRoots,
    Definition,
    Hover,
    LiveQuestion,
    Outline,
    Rename,
    RenameRange,
    Renaming,
    WorkspaceSymbols,
    file_asked_about,
)


def language_asked(question: LiveQuestion) -> str:
    """Short name of the language that a question is about; empty where none is known."""
    if isinstance(question, WorkspaceSymbols):
        return question.language
    language = language_of(file_asked_about(question))
    return "" if language is None else language.name


def nothing_of(question: LiveQuestion) -> object:
    """The answer that there is nothing."""
    match question:
        case Hover():
            return ""
        case Rename():
            return Renaming(())
        case _:
            return ()


def is_of_one_file(question: LiveQuestion, files: Set[str]) -> bool:
    """Whether an answer could be about no other files than those that it names."""
    return isinstance(question, Outline | RenameRange) or (isinstance(question, Definition | CallRoots) and bool(files))
