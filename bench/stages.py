"""A child process: parse, extract and build the same files, one after the other, and tell the CPU time of each.

`python -m bench.stages ROOT` reads paths relative to ROOT, one a line, on stdin, and writes a `Stages` as JSON. With
`parse` as a second argument it stops after parsing.
"""

from __future__ import annotations

import gc
import sys
import time
from fnmatch import fnmatch
from hashlib import blake2b
from pathlib import Path

import msgspec
from tree_sitter import Parser
from tree_sitter_language_pack import get_language

from codemap.languages import language_of, languages


class Stages(msgspec.Struct, frozen=True):
    """CPU seconds."""

    parse_s: float
    extract_s: float = 0.0
    build_s: float = 0.0
    facts_bytes: int = 0
    """Of all facts, packed as they travel between processes."""
    source_bytes: int = 0


def parse(sources: dict[str, bytes]) -> float:
    """CPU seconds that parsing takes, trees thrown away at once; grammars are loaded before the clock starts."""
    grammars = {path: language.grammar(path) for path in sources if (language := language_of(path)) is not None}
    parsers = {name: Parser(get_language(name)) for name in set(grammars.values())}  # type: ignore[arg-type]
    work = [(parsers[grammars[path]], source) for path, source in sources.items()]
    start = time.process_time()
    for parser, source in work:
        parser.parse(source)
    return time.process_time() - start


def stages(root: Path, sources: dict[str, bytes]) -> Stages:
    """The stages as the service has them: without garbage collection."""
    from actors.indexing.snapshot_builder import SingleUseBuilder
    from actors.messaging.messages import FileStat, Parsed
    from codemap.extract.extract import extract
    from codemap.packed.packed_facts import pack_facts

    parse_s = parse(sources)
    gc.collect()
    gc.freeze()
    gc.disable()
    start = time.process_time()
    packed = {path: pack_facts(extract(path, source)) for path, source in sources.items()}
    extract_s = time.process_time() - start
    changed = {
        path: Parsed(FileStat(len(sources[path]), 0), _digest(sources[path]), True, facts)
        for path, facts in packed.items()
    }
    configs = _configs(root)
    start = time.process_time()
    for _ in SingleUseBuilder().build(None, changed, frozenset(), configs, built_ns=0):
        pass
    build_s = time.process_time() - start
    return Stages(parse_s, extract_s, build_s, sum(map(len, packed.values())), sum(map(len, sources.values())))


def _digest(source: bytes) -> bytes:
    return blake2b(source, digest_size=16).digest()


def _configs(root: Path) -> dict[str, bytes]:
    patterns = [pattern for language in languages() for pattern in language.packaging.config_files]
    found = (path for path in sorted(root.rglob("*")) if any(fnmatch(path.name, pattern) for pattern in patterns))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found if path.is_file()}


def main() -> None:
    root = Path(sys.argv[1])
    paths = sys.stdin.buffer.read().decode().splitlines()
    sources = {path: (root / path).read_bytes() for path in paths}
    told = Stages(parse(sources)) if sys.argv[2:] == ["parse"] else stages(root, sources)
    sys.stdout.buffer.write(msgspec.json.encode(told))


if __name__ == "__main__":
    main()
