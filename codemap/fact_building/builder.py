"""Collects one file's facts while a language walks its syntax tree.

A language plug-in calls the builder in source order; it never sees tables. Names may be used before they are bound:
`name()` and everything built on it stay provisional until `finish`, which resolves each head through the scopes that
enclosed it, merges equal expressions, and groups equal uses of one owner.

The file is long because it is the one vocabulary that every plug-in speaks: many verbs of a few lines each.

Rules of the file:
- An expression is an int handle; `NONE` (-1) means "nothing worth knowing", and every operation on NONE gives NONE.
- Offsets are byte offsets into the source; they become 1-based lines and UTF-16 columns only in `finish`.
- A use that can never be an edge (reading a local that nothing is known about, a builtin) is dropped here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from itertools import count

from codemap.fact_building.spelling import characters, decoded
from codemap.facts import (
    ALSO,
    Base,
    Import,
    ImportFlag,
    Op,
    ScopeKind,
    SourceKind,
    SymbolFlag,
    SymbolKind,
    UseRole,
)

NONE = -1
TEXT_MAX_CHARS = 200
"""Signatures, docs and names are cut here: enough to recognize a symbol, little enough to list twenty."""

_HEAD = (int(Op.GLOBAL), NONE, NONE)  # the row of a head before `finish` resolves it
_ATTR = int(Op.ATTR)
_ARG = int(Op.ARG)
_CALL = int(Op.CALL)
_UNION = int(Op.UNION)
_BLOCK = int(ScopeKind.BLOCK)
_CLASS = int(ScopeKind.CLASS)
_READ = int(UseRole.REFERENCE)
_CALLED = int(UseRole.CALL)
_APPLY = int(Op.APPLY)
_TUPLE = int(Op.TUPLE)
_LITERAL = int(Op.LITERAL)
_CONTAINER = int(Op.CONTAINER)
_TEXT = int(Op.TEXT)
_SPECIAL = int(Op.SPECIAL)
_DISPLAYS = frozenset((_LITERAL, _CONTAINER, _TUPLE))
Chain = tuple[str, str, Sequence[tuple[int, int]]]
"""A plain chain `a.b.c`: its first and last name; the names behind the first, each with its offset from there."""
_UNKNOWN: Chain = ("", "", ())
CLASSES_MAX = 16
"""A bare name is looked up in the members of so many classes around; nobody nests more."""
CHAIN_MAX_CHARS = 120
"""Longer spellings are not looked at: few are plain chains, and fewer come twice."""


_NO_ALIASES: Mapping[int, Scope] = {}


class Scope:
    """One namespace."""

    __slots__ = ("aliases", "heads", "kind", "number", "numbers", "owner", "parent", "sources")

    def __init__(self, number: int, kind: int, owner: int, parent: Scope | None) -> None:
        self.number = number
        self.kind = kind
        self.owner = owner
        self.parent = parent
        self.sources: dict[int, list[tuple[int, int, int]]] = {}  # name -> (SourceKind, a, b)
        self.aliases: Mapping[int, Scope] = _NO_ALIASES  # names that live in another scope (`global`, `nonlocal`)
        self.heads: dict[str, int] = {}  # name, as text or as it is spelled -> its expression here
        self.numbers: dict[int, int] = {}  # name -> number of its binding, known to `finish`


class Builder:
    """Mutable while one file is walked; `finish` gives its facts and ends its use."""

    __slots__ = (
        "_chains",
        "_expr_index",
        "_methods",
        "_own_uses",
        "_owner",
        "bases",
        "binds_in_order",
        "builtins",
        "chars",
        "decorators",
        "dialect",
        "earlier",
        "error_bytes",
        "exports",
        "exprs",
        "file",
        "grammar",
        "handed_on",
        "heads",
        "holds_functions",
        "imports",
        "is_script",
        "is_worded",
        "lang",
        "module",
        "names",
        "narrowed",
        "not_called",
        "not_read",
        "only_types",
        "operations",
        "packages",
        "parameters",
        "parts",
        "scope",
        "scopes",
        "shapes",
        "source",
        "spans",
        "symbols",
        "texts",
        "type_heads",
        "type_kinds",
        "uses",
        "value_kinds",
    )

    def __init__(self, lang: str, source: bytes, builtins: frozenset[str]) -> None:
        self.source = source
        self.chars = characters(source)
        """The source with one character a byte: slices by offsets are spellings, and most are the text itself."""
        self.lang = lang
        self.builtins = builtins
        self.error_bytes = 0
        """Bytes under syntax errors, which the caller has counted."""
        self.is_script = False
        self.dialect = ""
        """The language of its text, where that is not `lang`."""
        self.grammar = ""
        """What the text was parsed with."""
        self.binds_in_order = False
        """Whether a class body that reads a name before it binds that means what is around the class."""
        self.holds_functions = False
        """Whether calls of parameters are kept: of functions that these hold."""
        self.is_worded = False
        """Whether the words of its definitions are kept."""
        self.names: dict[str, int] = defaultdict(count().__next__)
        """A name that is asked for gets the next number, if it is new."""
        self.texts: dict[str, int] = defaultdict(count().__next__)
        self.symbols: list[list[int]] = []
        self.spans: list[tuple[int, int, int]] = []  # offsets: name, start, end
        self.imports: list[tuple[int, int, int, int, int, int]] = []  # specifier, imported, flags, offset, owner, path
        self.exports: list[tuple[int, int, int, int]] = []  # name, local name or NONE, import, offset
        self.bases: list[tuple[int, int, int, int]] = []
        self.decorators: list[tuple[int, int]] = []
        self.parameters: list[tuple[int, int, int]] = []  # function, name or NONE, type
        self.parts: list[tuple[int, int, int]] = []  # symbol, name, expression or NONE
        self.shapes: list[tuple[int, int]] = []  # symbol, name
        self.packages: dict[str, None] = {}
        self.exprs: list[tuple[int, int, int]] = []
        self.heads: list[tuple[int, Scope, int]] = []  # expression, the scope that it is in, name
        self.earlier: set[int] = set()  # heads of names that class bodies bind later
        self.type_heads: set[int] = set()  # those that may mean a type
        self.type_kinds: frozenset[int] = frozenset()
        """Kinds of symbols that only types mean: a name that is read as a value looks past them."""
        self.value_kinds: frozenset[int] = frozenset()
        """Kinds of symbols that no type means: a name that can be nothing but a type looks past them."""
        self.only_types: set[int] = set()
        """Heads of such names."""
        self._expr_index: dict[tuple[int, int, int], int] = {}
        self._chains: dict[str, Chain | None] = {}
        self.not_read: Set[str] = frozenset()
        """Names that make a chain more than plain: the plug-in reads it itself."""
        self.narrowed: set[str] = set()
        """First names of chains of which some block narrows a part."""
        self.not_called: Set[str] = frozenset()
        """Names whose calls the plug-in looks at itself."""
        self.operations: list[int] = []
        """Expressions that are special methods, and those chosen among some."""
        self.handed_on: list[int] = []
        """Calls with arguments, which say what parameters hold."""
        self._methods: dict[Sequence[str], int] = {}
        self.uses: dict[int, dict[int, list[int]]] = {}  # owner -> expression * 4 + role -> offsets
        self.scopes: list[Scope] = []
        self.file = self._file_symbol()
        self.scope = self.module = self.open_scope(ScopeKind.MODULE, self.file)
        self.owner = self.file

    @property
    def owner(self) -> int:
        """The innermost named definition: new uses and imports belong to it."""
        return self._owner

    @owner.setter
    def owner(self, symbol: int) -> None:
        self._owner = symbol
        self._own_uses = self.uses.setdefault(symbol, {})

    @contextmanager
    def definition(self, symbol: int) -> Iterator[None]:
        """Makes a definition the owner of what is reported while it lasts; scopes that are opened in it end with it."""
        owner, scope = self._owner, self.scope
        self.owner = symbol
        yield
        self.owner, self.scope = owner, scope

    @contextmanager
    def block(self, kind: int = _BLOCK) -> Iterator[None]:
        """Opens a scope that ends with it."""
        scope = self.scope
        self.open_scope(kind, scope.owner)
        yield
        self.scope = scope

    # -- strings ------------------------------------------------------------------------------------------------

    def intern(self, name: str) -> int:
        return self.names[name]

    def text(self, start: int, end: int) -> str:
        """The source between two byte offsets; bytes that are not UTF-8 become U+FFFD."""
        return decoded(self.chars[start:end])

    def _text(self, text: str) -> int:
        if not text:
            return NONE
        if len(text) > TEXT_MAX_CHARS or not text.isprintable() or "  " in text or text != text.strip():
            text = _shown(text)
        return self.texts[text] if text else NONE

    # -- definitions --------------------------------------------------------------------------------------------

    def symbol(
        self,
        name: str,
        kind: int,
        *,
        parent: int,
        at: int,
        start: int,
        end: int,
        flags: int = 0,
        signature: str = "",
        doc: str = "",
    ) -> int:
        """Adds a definition and returns its index; it does not bind the name. `at` is the offset of the name."""
        index = len(self.symbols)
        if not name.isprintable() or len(name) > TEXT_MAX_CHARS:  # what broken source makes of a name
            name = _shown(name)
        shown = self._text(signature) if signature else NONE
        documented = self._text(doc) if doc else NONE
        row = [self.names[name], kind, parent, 1, flags, shown, documented, NONE, NONE]
        self.symbols.append(row)
        self.spans.append((at, start, end))
        return index

    def set_type(self, symbol: int, type_expr: int) -> None:
        """The stated type of a variable or property, or the stated result of a function: a type expression."""
        self.symbols[symbol][7] = type_expr

    def add_value(self, symbol: int, value: int) -> None:
        """One more value that a variable is assigned or a function returns."""
        row = self.symbols[symbol]
        row[8] = self.union(row[8], value)

    def set_doc(self, symbol: int, doc: str) -> None:
        self.symbols[symbol][6] = self._text(doc)

    def add_flags(self, symbol: int, flags: int) -> None:
        self.symbols[symbol][4] |= flags

    def flag_methods(self, names: Iterable[str], flags: int) -> None:
        """Adds flags to the methods of some names."""
        wanted = {self.names.get(name) for name in names}
        for row in self.symbols:
            if row[0] in wanted and row[1] == SymbolKind.METHOD:
                row[4] |= flags

    def remove_flags(self, symbol: int, flags: int) -> None:
        self.symbols[symbol][4] &= ~flags

    def extend_span(self, symbol: int, end: int) -> None:
        """Lets a definition reach to `end`: an overload whose implementation follows, a reopened namespace."""
        at, start, old_end = self.spans[symbol]
        self.spans[symbol] = (at, start, max(old_end, end))

    def begin_earlier(self, symbol: int, start: int) -> None:
        """Lets a definition begin at `start`, before what it was reported with: at its template."""
        at, _, end = self.spans[symbol]
        self.spans[symbol] = (at, start, end)

    def kind_of(self, symbol: int) -> SymbolKind:
        return SymbolKind(self.symbols[symbol][1])

    def make_function(self, symbol: int) -> None:
        """Makes a function of what was reported as a variable; its result is unknown."""
        row = self.symbols[symbol]
        row[1], row[8] = SymbolKind.FUNCTION, NONE

    def parent_of(self, symbol: int) -> int:
        return self.symbols[symbol][2]

    def base(self, cls: int, role: int, expr: int, at: int) -> None:
        """A base of a class, in source order; also a use of it."""
        if expr != NONE:
            self.bases.append((cls, role, expr, at))
            self.uses.setdefault(cls, {}).setdefault(expr << 2 | role, []).append(at)

    def reaches(self, cls: int, expr: int, at: int) -> None:
        """A type whose members a class has as well, without being one of it: no use."""
        if expr != NONE:
            self.bases.append((cls, int(UseRole.EXTENDS), expr, at))

    def metaclass(self, cls: int, expr: int, at: int) -> None:
        """The class of a class."""
        if expr != NONE:
            self.bases.append((cls, Base.METACLASS, expr, at))

    def mixin(self, cls: int) -> None:
        """Marks a class of which only the instances of its heirs inherit, and not the heirs themselves."""
        self.bases.append((cls, Base.MIXIN, self.literal(""), 0))

    def decorator(self, symbol: int, expr: int) -> None:
        if expr != NONE:
            self.decorators.append((symbol, expr))

    def parameter(self, function: int, name: str | None, type_expr: int = NONE) -> None:
        """The next parameter of a function, without its receiver; `name` None for a pattern."""
        self.parameters.append((function, NONE if name is None else self.names[name], type_expr))

    def part(self, symbol: int, name: str, expr: int = NONE) -> None:
        """Makes a symbol a part of the definition that `expr` means; `name` is the definition's own.

        Without `expr`: of what has the symbol's qualified name in its package, the first of them where all are parts.
        Its members and bases are the definition's, wherever they are.
        """
        self.add_flags(symbol, SymbolFlag.PART)
        self.parts.append((symbol, self.names[name], expr))

    def declaration(self, symbol: int) -> None:
        """Makes a symbol stand for the definition of the same qualified name, where there is one elsewhere."""
        self.add_flags(symbol, SymbolFlag.DECLARATION)
        self.parts.append((symbol, self.symbols[symbol][0], NONE))

    def shape(self, symbol: int, text: str) -> None:
        """What a method must have in common with one that it implements, where types do not say what they implement."""
        self.shapes.append((symbol, self.names[text]))

    def package(self, name: str) -> None:
        """The file declares something to belong to a package or namespace, named in full with dots."""
        self.packages[name] = None

    # -- scopes and bindings --------------------------------------------------------------------------------------

    def open_scope(self, kind: int, owner: int) -> Scope:
        """Enters a namespace of symbol `owner`; close it with `close_scope`."""
        parent = self.scope if self.scopes else None
        self.scope = Scope(len(self.scopes), kind, owner, parent)
        self.scopes.append(self.scope)
        return self.scope

    def namespace(self, symbol: int, kind: int = ScopeKind.CLASS) -> Scope:
        """A namespace for the members of a symbol, which does not become the current scope."""
        outer = self.scope
        members = self.open_scope(kind, symbol)
        self.scope = outer
        return members

    def close_scope(self) -> None:
        assert self.scope.parent is not None, "the module's scope stays open"
        self.scope = self.scope.parent

    def function_scope(self) -> Scope:
        """The nearest scope that is not a block: where Python's assignments and JavaScript's `var` bind."""
        scope = self.scope
        while scope.kind == _BLOCK and scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, kind: int, a: int = NONE, b: int = NONE, *, scope: Scope | None = None) -> None:
        """Adds a source to a name in `scope` (default: the current one), or where the name was declared to live."""
        number = self.names[name]
        scope = scope or self.scope
        if number in scope.aliases:
            scope = scope.aliases[number]
        known = scope.sources
        if number not in known:
            known[number] = [(kind, a, b)]
            if self.binds_in_order and scope.kind == _CLASS and name in scope.heads:
                self._end_earlier(name, scope)
        elif (kind, a, b) not in known[number]:
            known[number].append((kind, a, b))

    def _end_earlier(self, name: str, scope: Scope) -> None:
        """What a class read by a name before it bound that means what is around the class."""
        index = scope.heads[name]
        self.earlier.add(index)
        scope.heads = {spelling: head for spelling, head in scope.heads.items() if head != index}

    def bind_typed(self, name: str, type_expr: int, *, scope: Scope | None = None) -> None:
        """Binds a name to a value of a stated type; NONE where that is unknown."""
        self.bind(name, SourceKind.OPAQUE if type_expr == NONE else SourceKind.TYPED, type_expr, scope=scope)

    def declare_elsewhere(self, name: str, scope: Scope) -> None:
        """Makes a name of the current function scope mean the one in `scope` (`global`, `nonlocal`)."""
        here = self.function_scope()
        here.aliases = {**here.aliases, self.names[name]: scope}

    def is_bound_here(self, name: str) -> bool:
        number = self.names.get(name)
        return number is not None and number in self.scope.sources

    def member(self, cls_scope: Scope, name: str, kind: int, a: int) -> None:
        """Adds a source to a member of a class, from inside one of its methods (`self.x = e`)."""
        self.bind(name, kind, a, scope=cls_scope)

    # -- imports and exports ----------------------------------------------------------------------------------------

    def import_(self, specifier: str, imported: str | int, at: int, flags: int = 0, path: int = NONE) -> int:
        """Adds an import row and returns its index. `imported` is a name, NONE for the module, or Import.STAR.

        With `path`, an expression that begins with the module, the name is asked of what that means.
        """
        number = self.names[imported] if isinstance(imported, str) else imported
        self.imports.append((self.names[specifier], number, flags, at, self._owner, path))
        return len(self.imports) - 1

    def star_import(self, specifier: str, at: int, flags: int = 0, path: int = NONE) -> int:
        """`from m import *`: any name that is bound nowhere else may come from there (name "*" of the scope)."""
        row = self.import_(specifier, Import.STAR, at, flags, path)
        self.bind("*", SourceKind.IMPORT, row)
        return row

    def implicit_import(self, specifier: str) -> None:
        """A star import that no statement makes. Of those of a file, the first that has a name gives it."""
        self.star_import(specifier, 0, ImportFlag.IMPLICIT)

    def export(self, name: str | None, *, local: str | None = None, import_: int = NONE, at: int) -> None:
        """Offers a name to other modules: a binding of the module scope, or what an import row brings.

        `name` None re-exports all; "=" makes the module itself the value.
        """
        number = NONE if local is None else self.names[local]
        self.exports.append((NONE if name is None else self.names[name], number, import_, at))

    # -- expressions --------------------------------------------------------------------------------------------

    def expr(self, op: int, a: int, b: int = NONE) -> int:
        """The handle of an expression row, equal for equal rows."""
        row = (op, a, b)
        index = self._expr_index
        if row in index:
            return index[row]
        value = index[row] = len(self.exprs)
        self.exprs.append(row)
        return value

    def name(self, name: str) -> int:
        """A bare name, resolved in `finish` from the scope that is current now."""
        scope = self.scope
        index = scope.heads.get(name)
        if index is None:
            index = scope.heads[name] = len(self.exprs)
            self.exprs.append(_HEAD)
            self.heads.append((index, scope, self.names[name]))
        return index

    def name_in(self, scope: Scope, name: str) -> int:
        """A bare name, resolved from another scope than the current one."""
        outer, self.scope = self.scope, scope
        value = self.name(name)
        self.scope = outer
        return value

    def type_name(self, name: str) -> int:
        """A bare name where a type may be meant."""
        return self._type_head(f"type {name}", name)

    def only_type(self, name: str) -> int:
        """A bare name where nothing but a type may be meant."""
        index = self._type_head(f"only type {name}", name)
        self.only_types.add(index)
        return index

    def _type_head(self, key: str, name: str) -> int:
        heads = self.scope.heads
        if key not in heads:
            heads[key] = index = len(self.exprs)
            self.exprs.append(_HEAD)
            self.heads.append((index, self.scope, self.names[name]))
            self.type_heads.add(index)
        return heads[key]

    def read(self, start: int, end: int) -> int:
        """The bare name between two offsets, read by the current owner: `name` and `use` in one."""
        spelling = self.chars[start:end]
        heads = self.scope.heads
        index = heads.get(spelling)
        if index is None:
            if not spelling:
                return NONE
            index = heads[spelling] = self.name(decoded(spelling))
        own = self._own_uses
        key = index << 2 | _READ
        if key in own:
            own[key].append(start)
        else:
            own[key] = [start]
        return index

    def read_chain(self, start: int, end: int) -> int | None:
        """The plain chain `a.b.c` between two offsets, read by the current owner; None where it is not one."""
        if end - start > CHAIN_MAX_CHARS:
            return None
        spelling = self.chars[start:end]
        chain = self._chains.get(spelling, _UNKNOWN)
        if chain is _UNKNOWN:
            chain = self._chain(spelling)
        return None if chain is None else self._use_chain(chain, start, _READ)

    def call_chain(self, start: int, end: int) -> int | None:
        """The plain name or chain between two offsets, called by the current owner.

        None where it is not one, or its last name is in `not_called`.
        """
        if end - start > CHAIN_MAX_CHARS:
            return None
        spelling = self.chars[start:end]
        chain = self._chains.get(spelling, _UNKNOWN)
        if chain is _UNKNOWN:
            chain = self._chain(spelling)
        if chain is None or chain[1] in self.not_called:
            return None
        return self._use_chain(chain, start, _CALLED)

    def _chain(self, spelling: str) -> Chain | None:
        parts = spelling.split(".")
        chain: Chain | None = None
        if all(map(str.isidentifier, parts)) and self.not_read.isdisjoint(parts):
            first = parts[0]
            offset = len(first) + 1
            rest: list[tuple[int, int]] = []
            if len(parts) > 1:
                self.intern(first)  # before the others
                names = self.names
                for name in parts[1:]:
                    rest.append((names[name], offset))
                    offset += len(name) + 1
            chain = (first, parts[-1], rest)
        self._chains[spelling] = chain
        return chain

    def _use_chain(self, chain: Chain, start: int, role: int) -> int:
        """Reports the uses that a chain makes: its parts are read, its last one is used as `role` says."""
        first, _, rest = chain
        if first in self.narrowed:
            return self._use_narrowed(chain, start, role)
        value = self.scope.heads.get(first)
        if value is None:
            value = self.name(first)
        own = self._own_uses
        at = start
        if rest:
            index, exprs = self._expr_index, self.exprs
            for number, offset in rest:
                key = value << 2 | _READ
                if key in own:
                    own[key].append(at)
                else:
                    own[key] = [at]
                row = (_ATTR, value, number)
                if row in index:
                    value = index[row]
                else:
                    value = index[row] = len(exprs)
                    exprs.append(row)
                at = start + offset
        key = value << 2 | role
        if key in own:
            own[key].append(at)
        else:
            own[key] = [at]
        return value

    def _use_narrowed(self, chain: Chain, start: int, role: int) -> int:
        """The same of a chain of which a block may narrow a part: as a name with dots that it binds."""
        spelling, _, rest = chain
        value = member = self.name(spelling)
        at = start
        names = list(self.names) if rest else []
        for number, offset in rest:
            self.use(_READ, member, at)
            at = start + offset
            spelling = f"{spelling}.{names[number]}"
            member = self.expr(_ATTR, value, number)
            value = self.name(spelling) if self._is_narrowed(spelling) else member
        self.use(role, value if role == _CALLED else member, at)
        return value

    def _is_narrowed(self, spelling: str) -> bool:
        """Whether a block around binds a name with dots."""
        number = self.names.get(spelling)
        scope: Scope | None = self.scope if number is not None else None
        while scope is not None and number not in scope.sources:
            scope = scope.parent
        return scope is not None

    def attribute(self, of: int, name: str) -> int:
        return NONE if of == NONE else self.expr(_ATTR, of, self.names[name])

    def call(self, callee: int, arguments: Sequence[int] = ()) -> int:
        if callee == NONE:
            return NONE
        index, exprs = self._expr_index, self.exprs
        rest = NONE
        for part in reversed(arguments):
            if part != NONE or rest != NONE:
                row = (_ARG, part, rest)
                if row in index:
                    rest = index[row]
                else:
                    rest = index[row] = len(exprs)
                    exprs.append(row)
        row = (_CALL, callee, rest)
        if row in index:
            return index[row]
        value = index[row] = len(exprs)
        exprs.append(row)
        if rest != NONE:
            self.handed_on.append(value)
        return value

    def apply(self, type_: int, arguments: Sequence[int]) -> int:
        """A type with its type arguments."""
        return NONE if type_ == NONE else self.expr(_APPLY, type_, self.args(arguments))

    def apply_known(self, type_: int, arguments: Sequence[int]) -> int:
        """The same; the type alone where nothing is known of any argument."""
        return self.apply(type_, arguments) if any(argument != NONE for argument in arguments) else type_

    def lambda_of(self, count: int) -> int:
        """A function of which no more is known than how many parameters it has; 0: not even that."""
        listed = NONE
        for _ in range(count):
            listed = self.expr(_ARG, NONE, listed)
        return self.expr(Op.FUNCTION, listed, NONE)

    def tuple_of(self, parts: Sequence[int]) -> int:
        return self.expr(_TUPLE, self.args(parts))

    def parts_of(self, value: int) -> Iterator[int]:
        """The parts of a tuple that `tuple_of` made; of anything else, none."""
        if value == NONE or self.exprs[value][0] != _TUPLE:
            return
        at = self.exprs[value][1]
        while at != NONE:
            _, part, at = self.exprs[at]
            yield part

    def either(self, first: int, otherwise: int) -> int:
        """`first` where it means something in the repository, else `otherwise`."""
        return otherwise if first == NONE else self.expr(Op.ELSE, first, otherwise)

    def overload(self, callee: int, arguments: Sequence[int], *, is_counted: bool = False) -> int:
        """Of the definitions that `callee` means, those that take such arguments; where nothing is known of these, as
        many, if that is to count."""
        if callee == NONE or (arguments.count(NONE) == len(arguments) and not is_counted):
            return callee
        listed = NONE
        for argument in reversed(arguments):
            listed = self.expr(_ARG, argument, listed)
        chosen = self.expr(Op.OVERLOAD, callee, listed)
        if self.exprs[callee][0] == _SPECIAL:
            self.operations.append(chosen)
        return chosen

    def wrap(self, op: int, of: int, b: int = NONE) -> int:
        """`op` over one operand: INDEX, ITER, ENTER, AWAIT, ITEM, INSTANCE, SLOT, …"""
        return NONE if of == NONE else self.expr(op, of, b)

    def union(self, left: int, right: int) -> int:
        if left in (NONE, right):
            return right
        return left if right == NONE else self.expr(_UNION, left, right)

    def unions(self, parts: Iterable[int]) -> int:
        result = NONE
        for part in parts:
            result = self.union(result, part)
        return result

    def literal(self, type_name: str) -> int:
        return self.expr(_LITERAL, self.names[type_name])

    def with_text(self, literal: int, text: str) -> int:
        """A literal, or its type, whose text is known."""
        return self.expr(_TEXT, literal, self.names[text])

    def container(self, type_name: str, element: int) -> int:
        return self.expr(_CONTAINER, self.names[type_name], element)

    def args(self, parts: Sequence[int]) -> int:
        """The ARG list of `parts` (any may be NONE), trailing NONEs cut."""
        result = NONE
        for part in reversed(parts):
            if part != NONE or result != NONE:
                result = self.expr(_ARG, part, result)
        return result

    # -- uses ---------------------------------------------------------------------------------------------------

    def use(self, role: int, expr: int, at: int) -> None:
        """The current owner uses what `expr` means; `at` is the offset of the used name itself."""
        if expr != NONE:
            sites = self._own_uses.get(expr << 2 | role)
            if sites is None:
                self._own_uses[expr << 2 | role] = [at]
            else:
                sites.append(at)

    def operate(self, of: int, methods: Sequence[str], at: int) -> None:
        """The current owner does at `at` what runs the first of these methods that the class of `of` has.

        A name that ends in `&` is run together with the next.
        """
        if of != NONE and not self.is_display(of):
            self.operate_within(of, methods, at)

    def is_display(self, value: int) -> bool:
        """Whether a value is a literal, or of builtin types as it is written."""
        return self.exprs[value][0] in _DISPLAYS

    def operate_within(self, of: int, methods: Sequence[str], at: int) -> None:
        """The same where containers pass the operation on to what they hold."""
        special = self.special(of, methods)
        if special != NONE:
            self.use(_CALLED, special, at)

    def special(self, of: int, methods: Sequence[str]) -> int:
        """The first of these methods that the class of `of` has."""
        if of == NONE or self.exprs[of][0] == _LITERAL:
            return NONE
        names = self._methods.get(methods)
        if names is None:
            named = [(_LITERAL, self.names[name.rstrip("&")], ALSO if name[-1] == "&" else NONE) for name in methods]
            names = self._methods[methods] = self.args([self.expr(*row) for row in named])
        row = (_SPECIAL, of, names)
        special = self._expr_index.get(row)
        if special is None:
            special = self._expr_index[row] = len(self.exprs)
            self.exprs.append(row)
            self.operations.append(special)
        return special

    # -- the result -----------------------------------------------------------------------------------------------

    def _file_symbol(self) -> int:
        self.symbols.append([self.names[""], SymbolKind.FILE, NONE, 1, SymbolFlag.EXPORTED, NONE, NONE, NONE, NONE])
        self.spans.append((0, 0, max(0, len(self.source) - 1)))
        return 0


def _shown(text: str) -> str:
    """The text on one line, each run of white space a blank, cut to `TEXT_MAX_CHARS`."""
    text = " ".join(text.split())
    return text if len(text) <= TEXT_MAX_CHARS else text[: TEXT_MAX_CHARS - 1] + "…"
