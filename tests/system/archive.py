"""Archives from package registries."""

from __future__ import annotations

import tarfile
from pathlib import Path


def untar(archive: Path, folder: Path) -> None:
    """Unpacks into a folder. Python before 3.11.4, such as that of Debian 12, has no filter and trusts the archive."""
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)
