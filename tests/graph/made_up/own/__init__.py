"""A made-up language of packages, and of classes in parts."""

from codemap.languages.language import Language
from codemap.languages.scopes import Scopes
from codemap.project import Missing, Module
from tests.graph.made_up.lines import read


class Modules:
    """Packages by their names."""

    def __init__(self, packages):
        self._packages = {}
        for path, names in sorted(packages.items()):
            if path.endswith(".own"):
                self._packages.setdefault(names[0], []).append(path)

    def resolve(self, specifier, importer):
        return self._package(specifier) or Missing()

    def child(self, module, name):
        if module.directory is None:
            return None
        return self._package(f"{module.directory}.{name}" if module.directory else name)

    def _package(self, name):
        files = self._packages.get(name, [])
        if not files and not any(other.startswith(f"{name}.") for other in self._packages):
            return None
        return Module(files[0] if files else None, name, frozenset(files))


LANGUAGE = Language(
    name="own",
    title="Own",
    family="own",
    suffixes=(".own",),
    grammar=lambda path: "lua",
    extract=lambda root, b: read(b),
    modules=lambda project: Modules(project.packages),
    scopes=Scopes(declares_packages=True, exports_bindings=True),
)
