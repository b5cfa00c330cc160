"""What configuration files and manifests say of packages: which there are, and what repositories offer one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from codemap.config.document import Reader
from codemap.languages.manifest import Distributions, Package
from codemap.project import Project


class Packaging(msgspec.Struct, frozen=True, kw_only=True):
    config_files: Mapping[str, Reader | None] = {}
    """Glob pattern of base names -> what reads such a file for `modules`; None where it only matters that there is one.
    One that cannot be read is named to the user and left out."""
    manifests: Mapping[str, Reader | None] = {}
    """The same for files that `packages` reads and `modules` does not: to edit one binds nothing anew."""
    packages: Callable[[Project], Iterable[Package]] | None = None
    """The packages that the configuration files and manifests state, for people."""
    publishes: Callable[[Project], Iterable[str]] | None = None
    """The packages that another repository may import from this one, named as `External` names them there; None where
    no imports are followed into other repositories, or `distributions` say which are."""
    specifier_outside: Callable[[str, str], str] | None = None
    """The name of a package that another repository publishes, and a specifier that leads to it -> the specifier that
    means the same to the module resolver of that repository; None where all repositories write the same."""
    distributions: Callable[[Project], Distributions] | None = None
    """The packages that manifests name on both sides; None where only imports name them."""
    shares_namespaces: bool = False
    """Whether what imports name is a namespace, of which many packages may have a part: the modules of repositories
    that belong together are resolved as those of one."""
    package_of: Callable[[str], str] | None = None
    """Absolute path of a file outside the repository -> the external package that it belongs to, as IDs name it; empty
    where that is unknown."""
