"""What git prints of a repository: names that lead elsewhere, that are none, or that are cut off.

A program that prints it stands in for git, so that the listing is the real one, with files on disk.

Rules of the file:
- Every path that is listed is a regular file inside the root, under its own name.
- A listing ends, whatever git says, and however it ends.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import trio

from actors.listing.listing import list_paths, list_tree
from actors.listing.walk import TreeListing
from actors.listing.watched_folders import folders_under
from actors.service.real_ports import Disk
from bench.fuzz.mutation import mutated
from bench.fuzz.target import Broken, Inputs, shown
from codemap.settings import Settings

LISTED_MAX_S = 10.0
HOSTILE = (
    *(b"../outside/secret.py", b"/etc/passwd", b"//etc/passwd", b"a/../../outside/secret.py", b"./a.py", b"a//b.py"),
    *(
        b"link.py",
        b"linked/secret.py",
        b"loop/loop/a.py",
        b"fifo.py",
        b"a",
        b"a/",
        b".git/config.py",
        b".git",
        b".",
        b"..",
    ),
    *(b"", b"/", b"nested", b"nested/", b"nested/inner.py", b"\xff.py", b"a\nb.py", b"x" * 5000 + b".py", b"a.py/b.py"),
    *(b"missing.py", b"pyproject.toml", b"a/\xe2\x80\xae.py", b"-rf.py", b":(top)a.py", b"d" * 300 + b"/a.py"),
)


def fuzz_git(inputs: Inputs) -> None:
    with TemporaryDirectory(prefix="codemap-fuzz-") as folder:
        root, program = _repository(Path(folder)), Path(folder) / "bin" / "git"
        said = [Path(folder) / name for name in ("out", "err")]
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\ncat {said[0]}\ncat {said[1]} >&2\nexit $(cat {folder}/code)\n")
        program.chmod(0o755)
        path = os.environ.get("PATH", os.defpath)
        os.environ["PATH"] = f"{program.parent}{os.pathsep}{path}"
        try:
            for random in inputs:
                out, err = _output(random), _errors(random)
                said[0].write_bytes(out)
                said[1].write_bytes(err)
                (Path(folder) / "code").write_text(random.choice(("0", "0", "0", "0", "1", "128")))
                _check(random, root, out + err)
        finally:
            os.environ["PATH"] = path


def _repository(folder: Path) -> Path:
    """Files, and what is none: links that lead out and in circles, a pipe, a nested repository, odd names."""
    root = folder / "root"
    for name in ("a/b.py", "a.py", "nested/inner.py", "pyproject.toml", ".gitignore", "a/\u202e.py", "-rf.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n" if name.endswith(".py") else "")
    (folder / "outside").mkdir()
    (folder / "outside" / "secret.py").write_text("secret = 1\n")
    (root / "link.py").symlink_to(folder / "outside" / "secret.py")
    (root / "linked").symlink_to(folder / "outside")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "fifo.py")
    with open(os.fsencode(root) + b"/\xff.py", "wb") as file:
        file.write(b"x = 1\n")
    git = shutil.which("git")
    if git is None:
        raise RuntimeError("this target needs git on PATH")
    for each in (root, root / "nested"):
        subprocess.run([git, "init", "--quiet", str(each)], check=True)
    return root


def _output(random: Random) -> bytes:
    names = [b"a.py", b"a/b.py", b"nested/", b"pyproject.toml", *random.choices(HOSTILE, k=random.randint(0, 8))]
    random.shuffle(names)
    out = b"".join(name + b"\0" for name in names)
    return mutated(random, out) if random.random() < 0.5 else out


def _errors(random: Random) -> bytes:
    err = b"".join(
        b"warning: could not open directory '%b/': Permission denied\n" % name
        for name in random.choices([b"a", *HOSTILE], k=random.randint(0, 3))
    )
    return mutated(random, err, [b"fatal: not a git repository\n"]) if random.random() < 0.5 else err


def _check(random: Random, root: Path, said: bytes) -> None:
    listing = trio.run(_listed, str(root))
    _check_paths(root, [*listing.files, *listing.configs], said)
    for path in listing.skipped:
        if path.startswith("/") or ".." in path.split("/"):
            raise Broken(f"{path!r} is counted as skipped; git said {shown(said)}")
    asked = [os.fsdecode(name) for name in random.choices(HOSTILE, k=5) if name]
    glance = trio.run(_looked_at, str(root), asked)
    if glance is not None:
        _check_paths(root, [*glance.files, *glance.configs], said)
    real = os.fsencode(os.path.realpath(root))
    for folder in folders_under(trio.run(Disk(str(root), Settings())._survey), b""):
        if os.path.realpath(real + b"/" + folder) != (real + b"/" + folder).rstrip(b"/"):
            raise Broken(f"{folder!r} is watched; git said {shown(said)}")


async def _listed(root: str) -> TreeListing:
    with trio.fail_after(LISTED_MAX_S):
        return await list_tree(root, Settings())


async def _looked_at(root: str, asked: list[str]) -> TreeListing | None:
    with trio.fail_after(LISTED_MAX_S):
        return await list_paths(root, Settings(), asked, frozenset())  # type: ignore[return-value]


def _check_paths(root: Path, paths: Iterable[str], said: bytes) -> None:
    real = os.path.realpath(root)
    for path in paths:
        whole = f"{real}/{path}"
        if os.path.realpath(whole) != whole or not stat.S_ISREG(os.lstat(whole).st_mode) or "/.git/" in whole:
            raise Broken(f"{path!r} is listed; git said {shown(said)}")
