"""Finds the parts of a file's definitions, in a parser process."""

from __future__ import annotations

import msgspec

from actors.files.reading import digest_of, read_file
from actors.messaging.messages import Skipped, SyntaxRead
from actors.workers.per_file_failures import Failure, attempt
from codemap.extract.definition_syntax import syntax_of
from codemap.extract.skipped_files import normalize
from codemap.syntax import FileSyntax, SyntaxWanted

_pack = msgspec.msgpack.Encoder().encode


def read_syntax(root: str, path: str, max_bytes: int, wanted: SyntaxWanted) -> bytes:
    """Parses a file: a packed `SyntaxRead`, without syntax where the file cannot be read or parsed."""
    read = read_file(root, path, max_bytes)
    if isinstance(read, Skipped):
        return _pack(SyntaxRead(None))
    _, content, _ = read
    digest = digest_of(content)
    symbols = wanted.symbols if digest == wanted.digest else b""
    result = attempt(syntax_of, path, normalize(content), symbols, wanted.borders_of)
    if not isinstance(result, Failure):
        return _pack(SyntaxRead(FileSyntax(digest, *result.value)))
    return _pack(SyntaxRead(None))
