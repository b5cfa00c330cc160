"""What one file says by itself, as integer tables: all that a parser process sends to the graph.

A `FileFacts` is a handful of integer tables and one string table. Names inside the file are already decided: every
expression whose head is bound in the file points at a *binding*; what other files mean is left to the graph.

Rules of the file:
- A table is `bytes` of little-endian int32 rows of a fixed width; `rows(table)` views it without a copy.
- `-1` means "none" in every column that holds an index.
- Lines and columns are 1-based, columns count UTF-16 code units.
- Strings are indices into `names` (identifiers, module specifiers) or `texts` (signatures, docs).
- A row refers only to rows of its own file. The operands of an expression are before it.

The file is long because the tables refer to one another, and are understood together.
"""

from __future__ import annotations

import sys
from enum import IntEnum, IntFlag
from struct import Struct

import msgspec

FACTS_VERSION = 87
"""Rises whenever the same source would give other facts; stored facts of another version are dropped. See
`tests/test_facts_version.py`."""


class SymbolKind(IntEnum):
    FILE = 0
    MODULE = 1
    CLASS = 2
    INTERFACE = 3
    ENUM = 4
    FUNCTION = 5
    METHOD = 6
    VARIABLE = 7
    TYPE_ALIAS = 8
    PROPERTY = 9


class SymbolFlag(IntFlag):
    EXPORTED = 1
    STATIC = 2  # called through the class without an instance
    CLASS_METHOD = 4  # its first parameter is the class
    ACCESSOR = 8  # a getter or property: reading it calls it
    ASYNC = 16
    GENERATOR = 32
    ABSTRACT = 64
    DEFAULT = 128  # the default export of its module
    TYPE_ONLY = 256  # has no value at run time
    PART = 512  # a part of a definition that may be elsewhere: see `Part`
    DECLARATION = 1024  # only declares what is defined elsewhere: see `Part`
    EXTENSION = 2048  # is called on its first argument, too, as if it were a member of that: see `Op.EXTENSION`
    CONDITIONAL = 4096  # is there in some builds only
    UNNAMED = 8192  # is shown by a name that no code means it by
    VARIADIC = 16384  # takes any number of further arguments
    AMBIENT = 32768  # is seen in every file; of a nameless module: declares the module that imports ask for by its name
    ALIAS = 131072  # is another name of the function that its value calls
    TEST = 65536  # is a test, or what is in it is there for tests only, inside a file of the product
    CASE = 262144  # is run as a test for what is written on it: `#[test]`, `@Test`, `[Fact]`
    GENERATED = 1048576  # of a file: a program wrote it, by what it says
    HOOK = 524288  # is run by what runs its class: `@BeforeEach`, `[SetUp]`, what takes the place of a base's method
    OPENING = 2097152  # a part that is written for what is inside it alone: `A` of `class A::B`


UNKNOWN = "?"
"""Names what all values have in common of which nothing is known."""
ADDITION = int(SymbolFlag.PART | SymbolFlag.UNNAMED)
"""Both flags: it only holds what is added to a type of elsewhere, and no name means it; or, as a type alias, it is a
name that a namespace has for what another one defines."""


class Symbol:
    """Columns of the `symbols` table. Row 0 is the file itself."""

    NAME = 0  # names
    KIND = 1  # SymbolKind
    PARENT = 2  # symbols; -1 for row 0
    ORDINAL = 3  # 1 for the first of its qualified name in the file, 2, 3, … in source order
    FLAGS = 4  # SymbolFlag
    LINE = 5  # of the name
    COL = 6  # of the name
    START_LINE = 7  # of the whole definition, decorators and leading modifiers included
    END_LINE = 8
    SIGNATURE = 9  # texts
    DOC = 10  # texts; the first sentence or line
    TYPE = 11  # exprs: the stated type (variables, properties) or stated result (functions), a type expression
    VALUE = (
        12  # exprs: what it is assigned (variables), plainly returns or yields (functions), or specializes (classes):
    )
    #             the TUPLE of arguments that a specialization of a template is for
    WIDTH = 13


class Binding:
    """Columns of `bindings`: a name in a namespace, with the one or more sources that bind it there."""

    NAME = 0  # names
    SPACE = 1  # symbols: the module (0), class or function whose namespace this is
    SCOPE = 2  # ScopeKind of the namespace
    FIRST = 3  # sources: its sources are contiguous
    COUNT = 4
    WIDTH = 5


class ScopeKind(IntEnum):
    MODULE = 0
    CLASS = 1  # members: not visible by bare name from nested functions
    FUNCTION = 2  # locals and parameters
    BLOCK = 3  # locals of a block, narrowed names, comprehension variables


class SourceKind(IntEnum):
    """Kind of a binding's source; `a` and `b` are its operands."""

    SYMBOL = 0  # a: symbols
    IMPORT = 1  # a: imports
    VALUE = 2  # a: exprs, the value assigned
    TYPED = 3  # a: exprs, the stated type of the variable or parameter
    SELF = 4  # a: symbols, the class whose instance this is (`self`, `this`)
    CLASS = 5  # a: symbols, the class itself (`cls`)
    PARAMETER = 6  # a: symbols, the function; b: its position, see BY_NAME
    OPAQUE = 7  # bound to something that nothing is known about
    TYPE_PARAMETER = 8  # a: symbols, the definition with this type parameter; b: which; other sources: what bounds it


BY_NAME = 1 << 16
"""Added to the position of a parameter that arguments are given to by name alone. The receiver is not counted, and the
position of a parameter that takes all further arguments is inverted (`~`)."""


RECEIVER = 12
"""Where the receiver of a function type is among its parameters: behind any that functions have."""


class Source:
    KIND = 0
    A = 1
    B = 2
    WIDTH = 3


class ImportFlag(IntFlag):
    TYPE_ONLY = 1
    DYNAMIC = 2  # `import()` or `importlib.import_module` of a literal, or `require` inside a function
    REQUIRE = 4  # CommonJS
    SIDE_EFFECT = 8  # binds nothing
    CONDITIONAL = 16  # under `if`, `try` or a type-checking guard
    IMPLICIT = 32  # a star import that no statement makes: the file's own package, enclosing namespaces, a prelude
    OWN_NAME = 64  # binds the name that the module declares for itself, of which the one bound here is a guess
    HEAD = 128  # what a path begins with, which is no import of its own


class Import:
    """Columns of `imports`: one row for every name that an import statement asks for."""

    SPECIFIER = 0  # names: as written (`..pkg.mod`, `./store`, `react`)
    IMPORTED = 1  # names: the name asked for; -1: the module itself; STAR: every exported name
    FLAGS = 2  # ImportFlag
    LINE = 3  # of the imported name, or of the specifier where there is none
    COL = 4
    OWNER = 5  # symbols: the innermost definition that holds the statement
    PATH = 6  # exprs: what the name is asked of, where that is more than a module can be found by; -1: SPECIFIER
    WIDTH = 7

    STAR = -2


class Export:
    """Columns of `exports`: a name that the module offers under `NAME`. Languages where every module-level name can be
    imported (`Scopes.exports_bindings`) use it only for an explicit list such as `__all__`."""

    NAME = 0  # names; -1: every exported name of IMPORT (`export *`); "=": the module is this value
    BINDING = 1  # bindings of this file, or -1
    IMPORT = 2  # imports, or -1: re-exported from there
    LINE = 3
    COL = 4
    WIDTH = 5


MODULE_VALUE = "="
"""The name under which `exports` offers what a module is itself (`module.exports = f`)."""


class Base:
    """Columns of `bases`, in the order written."""

    CLASS = 0  # symbols; or a function that is called on values of the type
    ROLE = 1  # UseRole.EXTENDS or IMPLEMENTS, METACLASS or MIXIN
    EXPR = 2
    LINE = 3
    COL = 4
    WIDTH = 5

    METACLASS = 4
    """The class of the class: what it has, the class itself has, and its instances have not."""
    MIXIN = 5
    """No base: marks a class of which only the instances of its heirs inherit, and not the heirs themselves."""


class Decorator:
    """Columns of `decorators`, outermost first."""

    SYMBOL = 0
    EXPR = 1
    WIDTH = 2


class Parameter:
    """Columns of `parameters`, in order of position, without the receiver (`self`, `this`)."""

    FUNCTION = 0  # symbols
    NAME = 1  # names; -1 for a pattern
    TYPE = 2  # exprs: the stated type, or -1
    WIDTH = 3


class Part:
    """Columns of `parts`: a symbol that stands for (a part of) a definition, which may be in another file.

    The symbol has the flag PART (`impl`, `partial`, a method's receiver: its members and bases are those of the
    definition) or DECLARATION (a prototype: uses of it mean the definition).
    """

    SYMBOL = 0
    NAME = 1  # names: the last name of the definition
    EXPR = 2  # exprs: means the definition; -1: what has the same qualified name in the same package
    WIDTH = 3


class Shape:
    """Columns of `shapes`: what a method must have in common with one that it implements."""

    SYMBOL = 0
    TEXT = 1  # names: types of parameters and results; `_` for one that is not known
    WIDTH = 2


class Wording:
    """Columns of `wording`: whose the next words of `words` are."""

    SYMBOL = 0  # ascending
    DOC = 1  # how many words document it
    BODY = 2  # how many words more are in its body
    WIDTH = 3


class Op(IntEnum):
    """Operator of an expression row `(op, a, b)`. `e`, `f`, … are indices of earlier rows."""

    NAME = 0  # a: bindings
    GLOBAL = 1  # a: names; bound nowhere in the file
    ATTR = 2  # a: e, b: names         e.name
    CALL = 3  # a: e, b: first ARG or -1   the result of e(...); also `new e(...)`
    INDEX = 4  # a: e, b: index expression or -1   e[...] as a value
    ITER = 5  # a: e         one element that iterating e gives
    ENTER = 6  # a: e         what `with e as x` binds
    AWAIT = 7  # a: e
    ITEM = 8  # a: e, b: position, from 0    x, y = e
    UNION = 9  # a: e, b: f     either (assignments, `e or f`, `e if c else f`, `A | B` in types)
    INSTANCE = 10  # a: e, a type expression: some value of that type
    SUPER = 11  # a: symbols, the class whose bases are meant
    LITERAL = 12  # a: names: the builtin type of a literal (`str`, `dict`, …)
    CONTAINER = 13  # a: names: builtin type (`list`, `tuple`, `dict`, …), b: e, one element or value
    APPLY = 14  # a: e, b: first ARG      a type with type arguments, `List[C]`, `Map<K, V>`
    ARG = 15  # a: e or -1 (not worth keeping), b: next ARG or -1
    SYMBOL = 16  # a: symbols: a definition of this file, directly (a lambda, a class expression, `return function …`)
    THIS = 17  # a: symbols: an instance of this class, where no binding says so
    TUPLE = 18  # a: first ARG       a tuple of known parts
    FUNCTION = 19  # a: first ARG (types of the parameters) or -1, b: result type or -1; the type of a function
    SLOT = 20  # a: e, b: position   what the callee e wants as that argument
    PARAM = 21  # a: e, b: position   what the function e gets as that parameter
    SPECIAL = 22  # a: e, b: first ARG   what an operation on e runs: of the LITERALs, methods, the first of e's class
    PREFIX = 23  # a: e, b: LITERAL, a prefix   some member of e whose name begins so, of the definitions in this file
    OTHER = 24  # a: e, b: f, a type expression   the values of e that are not of that type
    ELSE = 25  # a: e, b: f     e where it means something in the repository, else f
    OVERLOAD = 26  # a: e, b: first ARG   of the definitions that e means, those that take such arguments, all listed
    EXTENSION = 27  # a: e, b: LITERAL, a name   of the extensions that the file sees under the name, those for e
    NAMED = 28  # a: e or -1, b: names   e as an argument passed by name, behind those passed by position
    TEXT = 29  # a: LITERAL, b: names   the literal, or its type, whose text is known
    CASE = 30  # a: ATTR, e.name, b: TEXT   the values of e whose member of that name can be that text
    ADDRESS = 31  # a: e     a pointer to e
    POINTED = 32  # a: e     what e points to, or an element of the array e
    SCOPE = 33  # a: e     what of e others may be in: modules and types, where functions may have the name, too
    SLOT_NAMED = 34  # a: e, b: names   what the callee e wants as the argument of that name
    EXPANDED = 35  # a: e, b: first ARG   what a use of the macro e with these arguments gives


ALSO = 1
"""In column `b` of a LITERAL that names a method of SPECIAL: if the class has it, the next one is run, too."""

EXPANSION = "what a macro gives"
"""The LITERAL whose TEXT says what a macro gives; see `codemap.graph.resolve.operations.expansions`."""
AROUND = (int(Op.ELSE), int(Op.OVERLOAD), int(Op.APPLY))
"""Operators around what is used or called, which is their first operand."""

FIRST, SECOND = 1, 2
OPERANDS: dict[int, int] = {
    Op.ATTR: FIRST,
    Op.CALL: FIRST | SECOND,
    Op.INDEX: FIRST | SECOND,
    Op.ITER: FIRST,
    Op.ENTER: FIRST,
    Op.AWAIT: FIRST,
    Op.ITEM: FIRST,
    Op.UNION: FIRST | SECOND,
    Op.INSTANCE: FIRST,
    Op.CONTAINER: SECOND,
    Op.APPLY: FIRST | SECOND,
    Op.ARG: FIRST | SECOND,
    Op.TUPLE: FIRST,
    Op.FUNCTION: FIRST | SECOND,
    Op.SLOT: FIRST,
    Op.PARAM: FIRST,
    Op.SPECIAL: FIRST | SECOND,
    Op.PREFIX: FIRST | SECOND,
    Op.OTHER: FIRST | SECOND,
    Op.ELSE: FIRST | SECOND,
    Op.OVERLOAD: FIRST | SECOND,
    Op.EXTENSION: FIRST | SECOND,
    Op.NAMED: FIRST,
    Op.TEXT: FIRST,
    Op.CASE: FIRST | SECOND,
    Op.ADDRESS: FIRST,
    Op.POINTED: FIRST,
    Op.SCOPE: FIRST,
    Op.SLOT_NAMED: FIRST,
    Op.EXPANDED: FIRST | SECOND,
}
"""Which of an expression's operands `a` (FIRST) and `b` (SECOND) are expressions; the other operators have none."""
BESIDE_NAME = frozenset((Op.NAMED, Op.TEXT, Op.SLOT_NAMED))
"""Operators with an expression and a name."""


class UseRole(IntEnum):
    """What a use of an expression makes of its target."""

    CALL = 0
    REFERENCE = 1
    EXTENDS = 2
    IMPLEMENTS = 3


class Use:
    """Columns of `uses`: one row for every (owner, role, expression); the sites are contiguous in `sites`."""

    OWNER = 0  # symbols: the innermost named definition around it; 0 where there is none
    ROLE = 1
    EXPR = 2
    FIRST = 3  # sites
    COUNT = 4
    WIDTH = 5


SITE_WIDTH = 2
"""`sites` rows are (line, col) of the name that is used: `m` in `a.b.m()`."""

EXPR_WIDTH = 3


class FileFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file's facts. See the column classes for the tables."""

    lang: str
    size: int  # bytes
    lines: int
    error_bytes: int  # bytes under syntax errors
    names: tuple[str, ...]
    texts: tuple[str, ...]
    symbols: bytes
    bindings: bytes
    sources: bytes
    imports: bytes
    exports: bytes
    bases: bytes
    decorators: bytes
    parameters: bytes
    exprs: bytes
    uses: bytes
    sites: bytes
    is_script: bool = False
    """True where the top-level names are visible to other scripts without an import."""
    parts: bytes = b""
    shapes: bytes = b""
    packages: tuple[str, ...] = ()
    """Packages or namespaces, dotted, that the file declares its top level, or something in it, to belong to."""
    words: str = ""
    """What its definitions are written in, with a blank between two words, in the order of `wording`; empty for files
    that are no part of the product (`codemap.file_roles`)."""
    wording: bytes = b""
    marks: bytes = b""
    """Of each distinct word of the text, see `codemap.occurrences.word_marks`."""
    dialect: str = ""
    """The language that its text is written in, where that is not `lang`: a header in C++."""


def rows(table: bytes) -> memoryview:
    """The int32 cells of a table, without a copy; row r, column c is at `r * WIDTH + c`."""
    if sys.byteorder != "little":
        raise NotImplementedError("fact tables are little-endian")
    return memoryview(table).cast("i")


def qualified_names(facts: FileFacts) -> list[str]:
    """The dotted chain of enclosing definitions of each row of the symbol table; empty for the file."""
    cells, found = rows(facts.symbols).tolist(), [""]
    for at in range(Symbol.WIDTH, len(cells), Symbol.WIDTH):
        parent, name = cells[at + Symbol.PARENT], facts.names[cells[at + Symbol.NAME]]
        found.append(f"{found[parent]}.{name}" if parent > 0 else name)
    return found


TRIPLE = Struct("<3i")
"""A row of `exprs` or `sources`, which is read in less time than its cells one by one."""
