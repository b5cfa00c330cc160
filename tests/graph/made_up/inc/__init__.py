"""A made-up language of includes and prototypes."""

from posixpath import normpath

from codemap.languages.language import Language
from codemap.languages.scopes import Scopes
from codemap.project import Missing, Module
from tests.graph.made_up.lines import read


class Modules:
    """Includes, relative to the root."""

    def __init__(self, files):
        self._files = files

    def resolve(self, specifier, importer):
        path = normpath(specifier)
        return Module(path) if path in self._files else Missing()

    def child(self, module, name):
        return None


LANGUAGE = Language(
    name="inc",
    title="Inc",
    family="inc",
    suffixes=(".inc", ".imp"),
    grammar=lambda path: "lua",
    extract=lambda root, b: read(b),
    modules=lambda project: Modules(project.files),
    scopes=Scopes(sees="includes", exports_bindings=True),
)
