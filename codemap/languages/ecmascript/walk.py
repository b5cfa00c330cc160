"""The one walk over an ECMAScript syntax tree: its state, and the tables that say which handler visits what.

The file is long because it explains every field of that state.

Rules of the files that hold handlers:
- Syntax nodes are never asked for their parents; what a handler may know about its surroundings is in `Walk`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building import walk as shared
from codemap.fact_building.builder import NONE, Builder, Scope
from codemap.fact_building.headers import clean_header
from codemap.fact_building.spelling import decoded
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, ScopeKind, SourceKind, SymbolKind, UseRole
from codemap.languages.ecmascript.jsdoc.summary import summary
from codemap.languages.ecmascript.jsdoc.types import NO_TAGS, Documented, Tags
from codemap.languages.ecmascript.kinds import Kinds
from codemap.languages.ecmascript.prefix import Prefix

if TYPE_CHECKING:
    from tree_sitter import Node

READ = int(UseRole.REFERENCE)
CALL = int(UseRole.CALL)
NAMELESS = "?"
"""Name of a definition whose name broken source lacks."""
EXPORTS_OBJECT = -2
"""What `this` is in methods of a `module.exports` literal: the module's exports, which no symbol stands for."""
RETURNS_MAX = 6
"""More returned expressions than this say nothing useful about a function's result."""
_SIGNATURE_MAX_BYTES = 600


class Heir(NamedTuple):
    """What gets a base apart from its definition, which may follow."""

    scope: Scope
    name: str
    symbol: int
    """NONE: what the name means in the scope, when the whole file has been seen."""
    base: int
    at: int
    owner: int
    """The definition around."""


class Walk(shared.Walk):
    """The state of one file's walk."""

    __slots__ = (
        "ambient",
        "called",
        "called_at",
        "comment",
        "conditional",
        "decorators",
        "deferred",
        "documented",
        "exported",
        "flags",
        "function",
        "heirs",
        "is_discarded",
        "is_module",
        "kept",
        "kinds",
        "literals",
        "member_at",
        "member_name",
        "modules",
        "narrowed",
        "overloads",
        "owners",
        "parametrized",
        "receiver",
        "result",
        "returns",
        "source",
        "spaces",
        "start",
        "super_call",
        "super_value",
        "tags",
        "this",
        "type_parameters",
        "type_walk",
        "typeof",
    )

    def __init__(self, b: Builder, kinds: Kinds, values: Mapping[int, shared.Handler]) -> None:
        super().__init__(b, values)
        self.source = b.source
        self.kinds = kinds
        self.ambient: set[int] = set()
        """Symbols of `declare global` and of modules that are declared by a specifier."""
        self.comment: Node | None = None
        """The comment that comes right before the node being visited."""
        self.start = NONE
        """Where the definition being visited begins, when before its own node."""
        self.flags = 0
        """What `export` and `declare` around the node being visited say."""
        self.decorators: list[Node] = []
        """Decorators that come before the node being visited."""
        self.this = NONE
        """What `this` is: an expression, NONE, or EXPORTS_OBJECT."""
        self.super_value = NONE
        self.super_call = NONE
        """The base class itself: what `super(…)` calls."""
        self.function = NONE
        """The symbol of the innermost function; NONE in a nameless one."""
        self.result = NONE
        """What the innermost function is to return, where that is stated."""
        self.returns: list[int] = []
        """What the innermost function returns or yields, as far as it is known."""
        self.deferred: dict[int, dict[str, tuple[int, int, int]]] = {}
        """Class -> property that its methods assign -> offsets of the name, start and end of the assignment."""
        self.spaces: dict[int, Scope] = {}
        """Symbol -> the namespace of its members."""
        self.overloads: dict[tuple[int, str, int], int] = {}
        """(parent, name, static) -> function, method or namespace that a later declaration continues."""
        self.heirs: list[Heir] = []
        self.exported: dict[str, int] = {}
        """Local names that `export { … }` and `module.exports` offer; their definitions may follow."""
        self.narrowed: set[int] = set()
        """Numbers of scopes that only narrow names: declarations bind around them."""
        self.type_parameters: dict[int, dict[str, int]] = {}
        """Definition -> its type parameters, each with its position."""
        self.typeof: dict[int, int] = {}
        """Type expression `typeof x` -> x."""
        self.conditional: Scope | None = None
        """The scope of the innermost conditional type."""
        self.kept: tuple[int, int] = (NONE, NONE)
        """A function or object that is about to be visited, by `Node.id`, and the symbol that owns it."""
        self.owners: dict[int, int] = {}
        """Value that `this` can be -> the symbol whose members it has."""
        self.parametrized: set[int] = set()
        """Functions whose parameters have been reported."""
        self.literals: dict[str, int] = {}
        """Builtin type -> the value of its literals."""
        self.receiver = NONE
        """What the member expression visited last was a member of."""
        self.member_name = ""
        """The name of that member."""
        self.member_at = NONE
        """Where the name is."""
        self.modules: set[int] = set()
        """Values of `import()` and `require()`: the modules themselves."""
        self.is_discarded = False
        """Whether the value of the call that is visited next does not matter."""
        self.called = NONE
        """The call, by `Node.id`, whose result was called last."""
        self.called_at = NONE
        """Where the name that it calls is."""
        self.is_module = False
        self.documented: Documented | None = None
        """The types that comments state."""
        self.type_walk: Walk | None = None
        """The walk over them, which are of another grammar."""
        self.tags: dict[int, Tags] = {}
        """Function -> what the comment before it states."""

    # -- source -------------------------------------------------------------------------------------------------------

    def string(self, node: Node | None) -> str | None:
        """The contents of a string literal as written, or None for anything else."""
        if node is None or node.kind_id not in (self.kinds.STRING, self.kinds.TEMPLATE):
            return None
        text = decoded(self.chars[node.start_byte + 1 : node.end_byte - 1])
        return None if node.kind_id == self.kinds.TEMPLATE and "${" in text else text

    def key(self, node: Node | None) -> str | None:
        """The name of a property, where it is plain; visits what a computed name uses."""
        if node is None:
            return None
        kind = node.kind_id
        if kind == self.kinds.COMPUTED:
            children = node.named_children
            name = self.string(children[0]) if len(children) == 1 else None
            if name is None:
                visit_children(self, node)
                text = self.text(node)
                return text if text.startswith("[Symbol.") else None
            return name
        name = self.string(node) if kind == self.kinds.STRING else self.text(node)
        return name or None

    def unwrap(self, node: Node) -> Node:
        """The expression inside parentheses and type assertions, when nothing that they name is lost."""
        while node.kind_id in self.kinds.wrappers:
            children = children_of(node)
            if len(children) != 1:
                return node
            node = children[0]
        return node

    def is_namespace(self, node: Node) -> bool:
        """Whether a name leads to some member of an object literal: a function, a variable, or an object with one."""
        k = self.kinds
        for child in node.named_children:
            kind = child.kind_id
            if kind == k.METHOD or kind == k.SHORTHAND:
                return True
            if kind == k.PAIR:
                value = child.child_by_field_name("value")
                if value is None:
                    continue
                value = self.unwrap(value)
                if value.kind_id in (k.IDENTIFIER, k.CLASS) or value.kind_id in k.functions:
                    return True
                if value.kind_id == k.OBJECT and self.is_namespace(value):
                    return True
        return False

    # -- visits -------------------------------------------------------------------------------------------------------

    def value_for(self, node: Node | None, wanted: int) -> int:
        if node is None or wanted == NONE:
            return self.value(node)
        plain = self.unwrap(node)
        visit = self.wanted.get(plain.type)
        return self.value(node) if visit is None else visit(self, plain, wanted)

    def literal(self, type_name: str) -> int:
        """The value of a literal of a builtin type."""
        value = self.literals.get(type_name)
        if value is None:
            value = self.literals[type_name] = self.b.literal(type_name)
        return value

    def stated(self, type_node: Node | None, tags: Tags = NO_TAGS) -> int:
        """Visits the type that an annotation states, or else the comment before."""
        if type_node is not None:
            return self.value(type_node)
        return NONE if tags.type < 0 else self.documented_type(tags.type)

    def documented_type(self, at: int) -> int:
        """Visits the type that begins at an offset in a comment; NONE where none does."""
        if at < 0 or self.documented is None or self.type_walk is None:
            return NONE
        return self.type_walk.value(self.documented.type(at))

    def body(self, node: Node) -> None:
        """Visits statements or members in order, each with the comment before it; guards among them end with it."""
        b, values, comment = self.b, self.values, self.kinds.COMMENT
        scope = b.scope
        for child in node.named_children:
            kind = child.kind_id
            if kind == comment:
                self.comment = child
            else:
                values[kind](self, child)
                self.comment = None
        b.scope = scope

    # -- definitions --------------------------------------------------------------------------------------------------

    def prefix(self, node: Node) -> Prefix:
        """Takes what comes before a definition; its parts do not see it any more."""
        start = node.start_byte if self.start == NONE else self.start
        doc = "" if self.comment is None else summary(self.source, self.comment.start_byte, self.comment.end_byte)
        tags = NO_TAGS if self.documented is None else self.documented.of(self.comment)
        taken = Prefix(start, self.flags, doc, tuple(self.decorators), node.start_byte, tags)
        self.start, self.flags, self.comment = NONE, 0, None
        if self.decorators:
            self.decorators = []
        return taken

    def add(
        self,
        name: str,
        kind: SymbolKind,
        prefix: Prefix,
        *,
        parent: int,
        at: int,
        end: int,
        signature: tuple[int, int],
        flags: int = 0,
    ) -> int:
        """Adds a definition; `at` is the offset of its name, `signature` the offsets of what introduces it."""
        start, stop = signature
        if prefix.tags is not NO_TAGS:
            self.tags[len(self.b.symbols)] = prefix.tags
        text = clean_header(self.b.text(start, min(stop, start + _SIGNATURE_MAX_BYTES)), self.comments)
        return self.b.symbol(
            name or NAMELESS,
            kind,
            parent=parent,
            at=at,
            start=prefix.start,
            end=end,
            flags=prefix.flags | flags,
            signature=text.rstrip().removesuffix("=>").rstrip(" \t\r\n={;,:"),
            doc=prefix.doc,
        )

    def space(self, symbol: int) -> Scope:
        """The namespace of a symbol's members. Nothing sees them by bare name."""
        scope = self.spaces.get(symbol)
        if scope is None:
            scope = self.spaces[symbol] = self.b.open_scope(ScopeKind.CLASS, symbol)
            self.b.close_scope()
        return scope

    def leave(self, scope: Scope) -> None:
        """Ends a scope, and whatever narrowing scopes were opened in it."""
        self.b.scope = scope.parent or self.b.module

    def block_scope(self) -> Scope:
        """Where `let`, `const`, `class` and functions bind."""
        scope = self.b.scope
        while scope.number in self.narrowed and scope.parent is not None:
            scope = scope.parent
        return scope

    def bound(self, name: str) -> tuple[Scope, list[tuple[int, int, int]]] | None:
        """The scope that binds a name, among the declarations seen so far, and its sources there."""
        number = self.b.intern(name)
        scope: Scope | None = self.b.scope
        while scope is not None:
            if number in scope.sources and scope.number not in self.narrowed:
                return scope, scope.sources[number]
            scope = scope.parent
        return None

    def symbol_of(self, name: str) -> int:
        """The definition of this file that a name is bound to, among those seen so far, or NONE."""
        found = self.bound(name)
        if found is not None:
            for kind, symbol, _ in found[1]:
                if kind == SourceKind.SYMBOL:
                    return symbol
        return NONE

    def own_name(self, name: str, symbol: int) -> Scope:
        """Opens the scope in which a function or class expression knows itself by its own name."""
        scope = self.b.open_scope(ScopeKind.BLOCK, self.b.owner)
        self.b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        return scope

    def this_symbol(self) -> int:
        """The symbol whose members `this.x` are, or NONE."""
        return self.owners.get(self.this, NONE)

    def symbol_value(self, symbol: int) -> int:
        """The definition itself."""
        expr = self.b.expr(Op.SYMBOL, symbol)
        self.owners[expr] = symbol
        return expr

    def instance(self, symbol: int) -> int:
        """An instance of a class, or what a constructor function makes."""
        expr = self.b.expr(Op.THIS, symbol)
        self.owners[expr] = symbol
        return expr


def name_of(node: Node) -> Node | None:
    """The name of a definition or specifier; None where broken source lacks it."""
    name = node.child_by_field_name("name")
    return None if name is None or name.start_byte == name.end_byte else name
