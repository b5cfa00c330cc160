"""The record that a language plug-in fills in: the only way the rest of codemap knows a language.

A plug-in is a folder of `codemap/languages` whose `__init__` has `LANGUAGE: Language`. It brings what its files are
called, how its syntax tree becomes facts, how its module specifiers become files, and the few rules of its semantics
that the graph needs; the graph itself names no language.

What is read together stands together: names, source, project; then scopes, values, classes, interfaces, overloads and
operations, which name resolution reads; then what tools read. What has a module beside this one is a record of its own.
A language states only what differs from the defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from codemap.languages.call_syntax import CallSyntax
from codemap.languages.complexity import Complexity
from codemap.languages.containers import Containers
from codemap.languages.document_examples import DocumentExamples
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.layout import Layout
from codemap.languages.liveness import Liveness
from codemap.languages.names_in_strings import NamesInStrings
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.parsing import Parsing
from codemap.languages.runner import Injection, TestRunner
from codemap.languages.scopes import Scopes
from codemap.languages.server_texts import ServerTexts
from codemap.languages.writes import Writes
from codemap.lsp.server import Server
from codemap.mangled_names import mangle_method
from codemap.project import ModuleResolver, Project

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder


class Language(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Short name, the first part of node IDs: `py`."""
    title: str
    """What people call it: `Python`."""
    family: str
    """The language that leads its family (TypeScript and JavaScript are one): guesses by name stay within it, and the
    IDs of external packages carry its name."""
    suffixes: tuple[str, ...]
    """File name endings, with the dot, lower case."""
    shared_suffixes: tuple[str, ...] = ()
    """Those of them that other languages of the family use, too."""
    qualifiers: frozenset[str] = frozenset()
    """Words in qualified names that name no definition (`crate::store::Store`, `Store.prototype.get`)."""
    sigils: tuple[str, ...] = ()
    """What the names of variables and properties begin with, where those who ask for them leave it out: `$`."""
    grammar: Callable[[str], str]
    """File path -> name of its grammar in tree-sitter-language-pack."""
    extract: Callable[[Node, Builder], None]
    """Walks a syntax tree and reports to the builder; never raises on bad source."""
    parsing: Parsing = Parsing()
    """What differs between source and what its grammar reads."""
    has_docstrings: bool = False
    """Whether a string that a body begins with documents its definition."""
    names_encoding: bool = False
    """Whether a comment on one of the first two lines may name the encoding of a file (PEP 263)."""
    layout: Layout = Layout()
    """What of a source may change and leaves its meaning as it is."""
    complexity: Complexity = Complexity()
    """What of its grammar makes code complex."""
    calls: CallSyntax | None = None
    """How it writes parameters and arguments; None where no call is checked."""
    modules: Callable[[Project], ModuleResolver]
    packaging: Packaging = Packaging()
    """What its configuration files and manifests say of packages."""
    files: FileConventions = FileConventions()
    """What files are by their names."""
    entries: EntryPoints = EntryPoints()
    """Where programs begin."""
    scopes: Scopes = Scopes()
    """What its names may mean."""
    outside: OutsideTypes = OutsideTypes()
    """What is known of types and functions outside."""
    containers: Containers = Containers()
    """What is known of containers."""
    has_open_parameters: bool = False
    """Whether what a parameter without a stated type is given may be of any type, whatever its default is."""
    holds_functions: bool = False
    """Whether a call of what a parameter or an attribute holds is undecided among the functions that it is given."""
    types_are_values: bool = True
    """Whether a type that is named and not called may be handed on and called elsewhere; of languages that say no,
    nothing makes one where it is only named."""
    has_keyed_objects: bool = False
    """Whether members of objects are found by computed keys, too, and arrays of known parts have the methods of arrays
    (`table[name]`, `[a, b].map(f)`)."""
    class_of: frozenset[str] = frozenset()
    """Attribute names that give the class of an instance (`__class__`, `constructor`)."""
    self_types: frozenset[str] = frozenset()
    """Type names that mean the type of the receiver (`Self`)."""
    fields_override: bool = False
    """Whether a field has the name of one of a class above because it is that: a value has one of the two."""
    constructors: tuple[str, ...] = ()
    """Method names that `C(...)` runs."""
    names_constructors_as_class: bool = False
    """Whether a constructor is written with the name of its class."""
    constructs_by_new: bool = False
    """Whether a call never makes a value of what it calls: `new` does."""
    allocators: tuple[str, ...] = ()
    """Methods of a class whose stated result is what calling the class gives, where it is another type (`__new__`)."""
    calls_convert: bool = False
    """Whether calling a type makes a value of it out of another: a reference to the type, no call."""
    calls_enums: bool = True
    """Whether an enum can be called; where it cannot, a call by its name means something else (`Err(…)` of Rust beside
    an `enum Err`)."""
    linearize: str = "c3"
    """How a class orders its bases: `c3`, `depth` (depth first, left to right), or `breadth` (the nearest first)."""
    binds_own_apart: bool = False
    """Whether what a class has itself is bound under mangled names, apart from what its instances have."""
    has_defined_types: bool = False
    """Whether a class may be defined as another, whose fields it has, and not its methods (`type ByName Listing`)."""
    bounds_meet: bool = False
    """Whether what may be of several types is of all at once (`T: A + B`): a member is of the one known to have it."""
    counterparts: str = ""
    """Found in the signature of a definition, or of one around it, that builds for other platforms have from other
    files: what declares it and all that define it are one (`expect`, `actual`)."""
    is_structural: bool = False
    """Whether a type implements every interface whose methods it has without saying so, as `Shape` compares them."""
    parts_interfaces: bool = False
    """Whether an interface is implemented by what is no interface, even where it is written as a class's base is."""
    asks_for_members: str = ""
    """A pattern of the signatures of members that types have to have for an interface, where the interface does not
    mark them as abstract; empty where it does, or asks for none."""
    hands_on: str = ""
    """A pattern of the head of a type that has what an interface asks for by a value of it: `: Shape by inner`."""
    shape_classes: str = ""
    """A pattern of the head of a class that any value with its members fits: `(Protocol)`."""
    fits_by_members: bool = False
    """Whether a value fits some types by the members that it has, whatever it is declared as."""
    has_overloads: bool = False
    """Whether a class has several methods of a name, apart from its fields: see `mangled_names`."""
    has_alike: bool = False
    """Whether definitions of one name beside each other differ by their parameters alone: a call means one of them."""
    has_named_arguments: bool = False
    """Whether calls may say which of several definitions is meant by the names of parameters: `f(size = 1)`."""
    has_trailing_functions: bool = False
    """Whether a function behind the arguments of a call is given to the last parameter: `open(path) { … }`."""
    functions_implement: bool = False
    """Whether a function is given where an interface with one abstract method is wanted."""
    finds_by_arguments: bool = False
    """Whether a call of an unbound name may mean a member: of an argument's namespace, or of an unknown base; and an
    operator a function that is defined for a class of an operand."""
    has_extensions: bool = False
    """Whether functions are called on values as if they were members of them: see `Op.EXTENSION`."""
    extends_any: bool = False
    """Whether functions at the top level may be called on values of any type, or of any below some: they have the flag
    EXTENSION, and such a type as their base."""
    protocols: Mapping[str, str] = {}
    """Operation -> the method that gives its result. Operations: `iter`, `async_iter`, `next`, `async_next`, `enter`,
    `async_enter`, `await`, `index`, `call`, `item`: indexing what has nothing to iterate it by, one after the other,
    and `get`: reading a member that holds the value. Without `await`, awaiting a plain value gives the value."""
    repeats: Mapping[str, str] = {}
    """Method that begins an iteration -> operation that its result is then asked for, over and over."""
    elementwise: frozenset[str] = frozenset()
    """Methods behind operations that a container runs on what it holds (`__eq__`)."""
    merges_pointers: bool = False
    """Whether a pointer and what it points to are one, and so are an array and its elements."""
    unpacks_fields: bool = False
    """Whether values by position are those of a type's fields in their order (`struct pair p = {one, two};`)."""
    unpacks_parameters: bool = False
    """Whether an instance is taken apart into the parameters in the header of its class (`val (a, b) = pair`)."""
    servers: tuple[Server, ...] = ()
    """Language servers that it can use, the preferred first. Languages of one family may share theirs."""
    server_texts: ServerTexts = ServerTexts()
    """What its servers show."""
    liveness: Liveness = Liveness()
    """What is used though no code names it."""
    runner: TestRunner | None = None
    """What runs its tests; None where there is no usual one."""
    injection: Injection | None = None
    """What that runs for tests which name it as a parameter."""
    writes: Writes = Writes()
    """How code writes a variable or field."""
    strings: NamesInStrings = NamesInStrings()
    """How code names things in strings."""
    examples: DocumentExamples = DocumentExamples()
    """The examples in documents."""

    @property
    def constructor_members(self) -> tuple[str, ...]:
        """The names that constructors are bound under in their classes, whatever their arguments."""
        return (*self.constructors, *map(mangle_method, self.constructors)) if self.has_overloads else self.constructors


def walk_in(module: str) -> Callable[[Node, Builder], None]:
    """The `extract` of a module that is loaded with the first file: a repository has few of the languages, and the
    process that answers reads no file."""

    def extract(root: Node, builder: Builder) -> None:
        walk: Callable[[Node, Builder], None] = import_module(module).extract
        walk(root, builder)

    return extract
