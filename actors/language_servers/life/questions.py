"""Properties of questions to language servers: language, files, and the empty answer."""

from __future__ import annotations

from collections.abc import Set

from codemap.languages import language_of
from codemap.live_queries import (
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
    """Finds the language that a question is about (short name); empty where none is known."""
    if isinstance(question, WorkspaceSymbols):
        return question.language
    language = language_of(file_asked_about(question))
    return "" if language is None else language.name


def nothing_of(question: LiveQuestion) -> object:
    """Makes the empty answer to a question."""
    match question:
        case Hover():
            return ""
        case Rename():
            return Renaming(())
        case _:
            return ()


def is_of_one_file(question: LiveQuestion, files: Set[str]) -> bool:
    """Whether an answer can be about no other files than those that it names."""
    return isinstance(question, Outline | RenameRange) or (isinstance(question, Definition | CallRoots) and bool(files))
