"""What the store keeps of a repository, and what not: facts about its files, and none of their other words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import trio

from actors.database.store_file import StoreFile
from actors.database.store_location import store_place
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from codemap.packed.packed_facts import expanded
from codemap.settings import Settings

KEPT = ("greet_somebody", "Says_hello", "somebodys_name")
"""A name, a word of its documentation, a parameter."""
SECRET = "correct horse, battery staple"
_BLOCK = '{\n  // SECRET\n  %s("SECRET");\n}\n'
SOURCES: Mapping[str, str] = {
    "a.py": 'def greet_somebody(somebodys_name):\n    """Says_hello."""\n    # SECRET\n'
    '    print("SECRET", f"x {1} SECRET")\n',
    "b.ts": "/** Says_hello. */\nexport function greet_somebody(somebodys_name: string) " + _BLOCK % "log",
    "c.go": "package c\n\n// Says_hello\nfunc greet_somebody(somebodys_name string) " + _BLOCK % "println",
    "d.rs": "/// Says_hello\npub fn greet_somebody(somebodys_name: u8) " + _BLOCK % "print!",
    "E.java": "class E {\n/** Says_hello. */\nvoid greet_somebody(int somebodys_name) " + _BLOCK % "print" + "}\n",
    "F.kt": "/** Says_hello. */\nfun greet_somebody(somebodys_name: Int) " + _BLOCK % "println",
    "G.cs": "class G {\n/// Says_hello\nvoid greet_somebody(int somebodys_name) " + _BLOCK % "Print" + "}\n",
    "h.rb": "# Says_hello\ndef greet_somebody(somebodys_name)\n  # SECRET\n  puts 'SECRET'\nend\n",
    "i.php": "<?php\n/** Says_hello. */\nfunction greet_somebody($somebodys_name) " + _BLOCK % "printf",
    "j.c": "/* Says_hello. */\nint greet_somebody(int somebodys_name)\n" + _BLOCK % "puts",
    "k.cpp": "// Says_hello\nint greet_somebody(int somebodys_name)\n" + _BLOCK % "puts",
    "l.js": "/** Says_hello. */\nfunction greet_somebody(somebodys_name) " + _BLOCK % "log",
}
CONFIGS = {
    "package.json": '{"name": "x", "description": "SECRET"}',
    "pyproject.toml": '[project]\ndescription = "SECRET"\n',
}


async def test_sources_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, signatures, documentation and single words of the code are; comments, texts and configuration are not."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "root"
    root.mkdir()
    for name, text in (SOURCES | CONFIGS).items():
        (root / name).write_text(text.replace("SECRET", SECRET))
    settings = Settings(workers=1)
    with trio.fail_after(60):
        async with open_service(
            settings, open_disk(str(root), settings), SingleUseBuilder(), codec=SnapshotCodec()
        ) as service:
            assert await service.wait_built() is None
            await service.save()
    place = store_place(str(root), settings, {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert place is not None
    file = StoreFile(place)
    try:
        stored = file.load()
    finally:
        file.close()
    assert stored is not None
    facts = [expanded(packed) for packed in stored.facts]
    assert len(facts) == len(SOURCES)
    for one in facts:
        assert all(word.encode() in one for word in KEPT)
    for part in (
        stored.head,
        *stored.parts,
        *facts,
        *(path.read_bytes() for path in (tmp_path / "cache").rglob("*.*")),
    ):
        assert SECRET.encode() not in part
