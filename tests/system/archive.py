"""Archives from package registries."""

from __future__ import annotations

import tarfile
from pathlib import Path


def untar(archive: Path, folder: Path) -> Path:
    """Unpacks into a folder, which it returns. Python before 3.11.4, as Debian 12 has it, trusts the archive."""
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)
    return folder


def untar_top(archive: Path, place: Path) -> None:
    """The one top folder of an archive becomes `place`; what is unpacked stands beside the archive first."""
    (top,) = untar(archive, archive.parent / "unpacked").iterdir()
    top.rename(place)
