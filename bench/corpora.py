"""The repositories that are measured: pinned in `corpora.toml`, fetched once into `.cache/corpora`.

Rules of the file:
- A corpus is downloaded as an archive, checked by digest and unpacked; what comes from Debian is checked by its client.
  Of its code nothing is run but what pip needs to read an sdist's metadata, in an isolated environment.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from tests.system.archive import untar_top
from tests.system.debian import unpacked, unpacked_source

PROJECT = Path(__file__).parent.parent
CACHE = PROJECT / ".cache" / "corpora"


class PinnedEdit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line that is put before another, to see what an edit costs."""

    path: str
    before: str
    """The first line that holds exactly this, and nothing else."""
    text: str
    """The new line; `{n}` stands for a number, so that no two edits give the same content."""
    otherwise: str = ""
    """The new line in every second edit, where the first is to be taken back."""


class Corpus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pinned archive."""

    registry: Literal["pypi", "npm", "debian", "debian-source"]
    name: str
    version: str
    root: str
    """The folder that is indexed, inside the archive's one top folder; of a Debian package, inside what it installs."""
    language: str
    """Short name of its main language."""
    sha256: str = ""
    """Of the archive; empty for Debian packages."""
    server: str = ""
    """The language server that a sample of its calls is put to; empty where none can be had."""
    part: tuple[str, ...] = ()
    """Folders that hold about a tenth of it; empty where growth is not told from it."""
    edits: Mapping[str, PinnedEdit] = {}
    """By name: `small` and `large` are in the body of a function of a file so large, `barrel` makes a module that
    re-exports widely offer one name more, `barrel_used` makes one that is used widely mean something else."""
    copies: int = 0
    """How many copies side by side make the larger repository in which an edit is to cost the same; 0: that is not told
    from this corpus."""

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"


class CorpusError(Exception):
    """A corpus cannot be had as it is pinned; the message says why."""


def corpora() -> dict[str, Corpus]:
    """Every pinned corpus, by its short name."""
    return msgspec.convert(tomllib.loads((PROJECT / "bench" / "corpora.toml").read_text()), dict[str, Corpus])


def fetch(corpus: Corpus) -> Path:
    """The folder to index, downloaded where it is not there yet.

    Raises CorpusError when the download fails, or is not what was pinned.
    """
    if corpus.registry == "debian":
        return unpacked(corpus.name, {corpus.name: corpus.version}) / corpus.root
    if corpus.registry == "debian-source":
        return unpacked_source(corpus.name, corpus.version) / corpus.root
    place = CACHE / f"{corpus.name.lower().replace('/', '-')}-{corpus.version}"
    if not place.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            archive = _download(corpus, Path(folder))
            digest = hashlib.sha256(archive.read_bytes()).hexdigest()
            if digest != corpus.sha256:
                raise CorpusError(f"{corpus.title}: the archive has digest {digest}, not the pinned {corpus.sha256}")
            untar_top(archive, place)
    return place / corpus.root


def copy_part(corpus: Corpus, root: Path, place: Path) -> Path:
    """A repository of the corpus's `part` alone, as a copy under `place`."""
    for folder in corpus.part:
        shutil.copytree(root / folder, place / folder)
    return place


def _download(corpus: Corpus, folder: Path) -> Path:
    commands = {
        "pypi": (
            *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"),
            *("--no-binary", corpus.name, "--dest", str(folder)),
            f"{corpus.name}=={corpus.version}",
        ),
        "npm": ("npm", "pack", "--silent", "--pack-destination", str(folder), f"{corpus.name}@{corpus.version}"),
    }
    done = subprocess.run(commands[corpus.registry], capture_output=True, text=True, check=False)
    found = [*folder.glob("*.tar.gz"), *folder.glob("*.tgz")]
    if done.returncode or len(found) != 1:
        raise CorpusError(f"{corpus.title} could not be downloaded: {done.stderr.strip()[-500:]}")
    return found[0]
