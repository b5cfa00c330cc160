"""Finds examples in documents that tests run (`>>> app.load()` in a README): no edit of a language server reaches them.

They are looked for where a file of the repository, or its configuration, has them run (`DocumentExamples.runs`): what
runs the examples in docstrings alone, or a target of a Makefile that nothing asks for, does not. A block of code is run
where a test runs the blocks of documents, or runs texts and names the document (`exec(block)`). Else documents are for
people alone.

Rules of the file:
- A member is meant where it is taken from something, passed by its name, or in quotes alone; in a sentence in quotes a
  name is a word. What is inside a function is meant nowhere. A keyword of a call is a parameter, which a member of that
  name need not be, where a constructor has it. What an example gives a value is a variable, or of its own class.
- What an example puts out may show a class by its name; it surely does where the class shows its own name with what it
  has, and nothing else is called so. A comment means nothing.
- What a document itself gives the bare name to, without importing it, is meant by it from there on.
- The name is that of the definition where nothing else in the repository has it, nor any class of the standard library
  or of what runs tests, and the document imports nothing but its package and gives the name to nothing itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import msgspec

from codemap.facts import Symbol
from codemap.file_roles import Role, role_of
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.live_queries import At, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.mentions.other_texts import DOCUMENTS
from codemap.tools.nav.rename.uses.class_texts import is_shown_whole, shows_its_name
from codemap.tools.nav.rename.uses.strings import classes_having, modules_of
from codemap.tools.nav.rename.uses.together import class_of, is_in_function, is_kin
from codemap.tools.places.rows import utf16_length
from codemap.tools.places.texts import is_after_dot, read_lines
from codemap.tools.tool import Asking

_STATEMENT_LINES = 3
"""Lines behind one that names what runs examples, in which the statement may go on."""
_SENTENCE = re.compile(
    r"""(?<![\w"'])(?P<quote>["'])(?=[^\W\d_])(?:[^"'{}\\\s.]+ )+[^"'{}\\\s.]*[.!?:]?(?P=quote)(?!["'])"""
)
"""Several words in quotes, which are put into no field and are no code."""
_COMMENT = re.compile(r"(?:[^\"'#]|\"[^\"]*\"|'[^']*')*#")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*\{?\.?(\w*)")
_NO_CODE = (Account.STRINGS, Account.COMMENTS)
_GIVEN = re.compile(r"\s*(?::[^=]*)?=(?!=)")
_CLASS = re.compile(r"class\b")
_PASSED = re.compile(r"\s*=(?!=)")


class Examples(msgspec.Struct, frozen=True):
    """The places of the name in such examples."""

    own: tuple[At, ...] = ()
    """These are of what is renamed."""
    open: tuple[At, ...] = ()
    """These may be."""


def find_run_examples(snapshot: Snapshot, nodes: Sequence[int], ledger: Ledger | None) -> Asking[Examples]:
    """Those of `nodes`, which are renamed together."""
    home, row = snapshot.row_of(nodes[0])
    language, name = by_name()[home.lang], home.name_of(row)
    documents = [] if ledger is None else [one for one in ledger.elsewhere if one.why == DOCUMENTS]
    if not documents or not language.examples.runners or is_in_function(snapshot, nodes[0]):
        return Examples()
    are_run = yield from _are_run(snapshot, home)
    with_blocks = yield from _find_run_blocks(snapshot, home, [one.path for one in documents])
    lines = yield from read_lines(one.path for one in documents if are_run or one.path in with_blocks)
    is_member, is_parameter = class_of(snapshot, nodes[0]) is not None, _is_parameter(snapshot, nodes)
    is_alone, is_class = _is_alone(snapshot, nodes), snapshot.kind_of(nodes[0]) in CLASS_KINDS
    is_shown = is_alone and is_class and (yield from shows_its_name(snapshot, nodes[0]))
    own: list[At] = []
    open_: list[At] = []
    for one in documents:
        text_lines = lines.get(one.path, ())
        code = _code_of(language, text_lines, are_run=are_run, has_blocks=one.path in with_blocks)
        is_sure = is_alone and _has_no_other(snapshot, nodes[0], code)
        rebound = math.inf if is_member else _find_rebound(code, name)
        for line in one.lines:
            text = text_lines[line - 1] if line <= len(text_lines) else ""
            is_example = line in code
            if not is_example and not (are_run and is_class and _is_output(text_lines, line, language.examples.lines)):
                continue
            for match in re.finditer(rf"\b{re.escape(name)}\b", text):
                at = At(one.path, line, utf16_length(text[: match.start()]) + 1)
                if not is_example:
                    (own if is_shown and is_shown_whole(text_lines, at, name) else open_).append(at)
                    continue
                if _COMMENT.match(text, 0, match.start()) or (line >= rebound and not is_after_dot(text_lines, at)):
                    continue
                if is_member and _is_of_other_class(snapshot, nodes, text_lines, line, match.span()):
                    continue
                is_passed = _PASSED.match(text, match.end()) is not None
                is_taken = is_after_dot(text_lines, at)
                is_asked = not is_member or is_taken or is_passed
                if not _may_mean(text, match.span(), is_asked=is_asked) or (is_passed and is_parameter):
                    continue
                is_quoted = text[match.start() - 1] in "'\""
                (own if is_sure and not is_passed and not is_quoted and (is_taken or not is_member) else open_).append(
                    at
                )
    return Examples(tuple(own), tuple(open_))


def _code_of(language: Language, lines: Sequence[str], *, are_run: bool, has_blocks: bool) -> dict[int, str]:
    """The code of a document that is run, by the number of its line: what is behind a prompt, and blocks of code."""
    found: dict[int, str] = {}
    fence, is_block = "", False
    for number, line in enumerate(lines, 1):
        match = _FENCE.match(line)
        prompt = re.match(language.examples.lines, line) if are_run else None
        if match and fence:
            fence = "" if match[1].startswith(fence) else fence
        elif match:
            fence, is_block = match[1], has_blocks and match[2].lower() in (language.name, language.title.lower())
        elif prompt:
            found[number] = line[prompt.end() :]
        elif fence and is_block:
            found[number] = line
    return found


def _find_rebound(code: Mapping[int, str], name: str) -> float:
    """The first line from which on a bare name is what the code of a document gives it to; none where it may import
    it."""
    given = _gives(name)
    is_imported = any(re.match(rf"\s*(?:from|import)\b.*(?:\b{name}\b|\*)", text) for text in code.values())
    lines = (line for line, text in code.items() if given.search(text))
    return math.inf if is_imported else next(lines, math.inf)


def _gives(name: str) -> re.Pattern[str]:
    """A pattern of code that gives a name to something."""
    return re.compile(
        rf"\b(?:def|class|for|as|lambda)\s+{name}\b|\b{name}\s*(?:,[\w\s,]+)?=(?!=)"
        rf"|\b(?:def|class|type)\s+\w+\[[^\]]*\b{name}\b"
    )


def _find_run_blocks(snapshot: Snapshot, home: IndexedFile, documents: Sequence[str]) -> Asking[set[str]]:
    """Those of documents whose blocks of code are run."""
    examples = by_name()[home.lang].examples
    words = sorted(examples.block_runners | examples.text_runners)
    facts = (yield tuple(Mentioned("", word) for word in words)) if words else ()
    using: dict[str, set[str]] = {}
    for word, fact in zip(words, facts, strict=True):
        mentions = fact.value.mentions if isinstance(fact, Found) and isinstance(fact.value, Ledger) else ()
        kin = (one for one in mentions if one.account not in _NO_CODE and is_kin(snapshot, one.path, home))
        using[word] = {one.path for one in kin if role_of(one.path) is Role.TEST}
    if any(using[word] for word in examples.block_runners):
        return set(documents)
    lines = yield from read_lines(sorted({path for paths in using.values() for path in paths}))
    texts = ["\n".join(some) for some in lines.values()]
    return {path for path in documents if any(path.rpartition("/")[2] in text for text in texts)}


def _is_output(lines: Sequence[str], line: int, example_lines: str) -> bool:
    """Whether a line of a document is what an example above it puts out."""
    above = next(
        (text for text in reversed(lines[: line - 1]) if not text.strip() or re.match(example_lines, text)), ""
    )
    return bool(above.strip()) and bool(lines[line - 1].strip())


def _is_of_other_class(
    snapshot: Snapshot, nodes: Sequence[int], lines: Sequence[str], line: int, span: tuple[int, int]
) -> bool:
    """Whether a statement of an example gives the name a value: as a variable, or in a class that is not below one
    which has the member."""
    begins = by_name()[snapshot.row_of(nodes[0])[0].lang].examples.lines
    text = lines[line - 1]
    if not re.fullmatch(rf"{begins}\s*", text[: span[0]]) or not _GIVEN.match(text, span[1]):
        return False
    for above in reversed(lines[: line - 1]):
        prompt = re.match(begins, above)
        code = above[prompt.end() :] if prompt else ""
        if not code or not code[0].isspace():
            names = set(re.findall(r"\w+", code)) if _CLASS.match(code) else set[str]()
            return names.isdisjoint(snapshot.name_of(cls) for cls in classes_having(snapshot, nodes))
    return True


def _are_run(snapshot: Snapshot, home: IndexedFile) -> Asking[bool]:
    """Whether code or configuration has the examples of documents run."""
    examples = by_name()[home.lang].examples
    facts = yield tuple(Mentioned("", runner) for runner in sorted(examples.runners))
    found = [fact.value for fact in facts if isinstance(fact, Found) and isinstance(fact.value, Ledger)]
    places = [
        (one.path, one.line)
        for ledger in found
        for one in ledger.mentions
        if one.account is not Account.COMMENTS and is_kin(snapshot, one.path, home)
    ]
    places += [
        (one.path, line) for ledger in found for one in ledger.elsewhere if one.why != DOCUMENTS for line in one.lines
    ]
    lines = yield from read_lines(path for path, _ in places)
    return any(
        re.search(examples.runs, "\n".join(lines[path][line - 1 : line + _STATEMENT_LINES]))
        for path, line in places
        if path in lines
    )


def _is_parameter(snapshot: Snapshot, nodes: Sequence[int]) -> bool:
    """Whether a constructor of a class that has the member has a parameter of its name."""
    name = snapshot.name_of(nodes[0])
    constructors = by_name()[snapshot.row_of(nodes[0])[0].lang].constructors
    for cls in classes_having(snapshot, nodes):
        for child in snapshot.children_of(cls):
            file, row = snapshot.row_of(child)
            if file.name_of(row) in constructors and re.search(rf"\b{name}\b", file.text_of(row, Symbol.SIGNATURE)):
                return True
    return False


def _is_alone(snapshot: Snapshot, nodes: Sequence[int]) -> bool:
    """Whether nothing else that is known has the name."""
    home, row = snapshot.row_of(nodes[0])
    language, name = by_name()[home.lang], home.name_of(row)
    if language.outside.members is None or name in language.outside.members().names or name in language.scopes.builtins:
        return False
    return all(one in nodes or snapshot.row_of(one)[0].family != home.family for one in snapshot.named(name))


def _has_no_other(snapshot: Snapshot, node: int, code: Mapping[int, str]) -> bool:
    """Whether the examples of a document import nothing but the package of a definition, and give its name to nothing:
    a module outside may have a function of the name (`json.loads`)."""
    home, row = snapshot.row_of(node)
    language, name = by_name()[home.lang], home.name_of(row)
    known = language.outside.members().packages if language.outside.members is not None else frozenset[str]()
    given = _gives(name)
    imported: set[str] = set()
    for text in code.values():
        match = re.match(language.examples.imports, text)
        imported |= set(re.findall(r"(?:\A|,)\s*(\w+)", match[1])) if match else set()
        if given.search(text):
            return False
    own = {part.partition(".")[0] for path in modules_of(snapshot, node) for part in path.split("/")}
    return imported <= own - known


def _may_mean(text: str, span: tuple[int, int], *, is_asked: bool) -> bool:
    """Whether the name in an example may be that of the definition: in quotes alone where nothing is asked for it."""
    start, end = span
    if any(quoted.start() < start and end < quoted.end() for quoted in _SENTENCE.finditer(text)):
        return False
    is_quoted = text[start - 1 : start] in ("'", '"') and text[end : end + 1] == text[start - 1 : start]
    return is_asked or is_quoted
