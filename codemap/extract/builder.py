"""Collects one file's facts while a language walks its syntax tree.

A language plug-in calls the builder in source order; it never sees tables. Names may be used before they are bound:
`name()` and everything built on it stay provisional until `finish`, which resolves each head through the scopes that
enclosed it, merges equal expressions, and groups equal uses of one owner.

Rules of the file:
- An expression is an int handle; `NONE` (-1) means "nothing worth knowing", and every operation on NONE gives NONE.
- Offsets are byte offsets into the source; they become 1-based lines and UTF-16 columns only in `finish`.
- A use that can never be an edge (reading a local that nothing is known about, a builtin) is dropped here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from codemap.facts import (
    FileFacts,
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
"""Signatures and docs are cut here: enough to recognize a symbol, little enough to list twenty."""

_PROVISIONAL_NAME = -1  # op of a head before `finish`: a is a scope's number, b a name


class Scope:
    """One namespace. `visible` is False for class bodies, whose names nested functions do not see."""

    __slots__ = ("aliases", "kind", "number", "owner", "parent", "sources")

    def __init__(self, number: int, kind: ScopeKind, owner: int, parent: Scope | None) -> None:
        self.number = number
        self.kind = kind
        self.owner = owner
        self.parent = parent
        self.sources: dict[int, list[tuple[int, int, int]]] = {}  # name -> (SourceKind, a, b)
        self.aliases: dict[int, Scope] = {}  # names declared to live in another scope (`global`, `nonlocal`)


class Builder:
    """Mutable while one file is walked; `finish` gives its facts and ends its use."""

    def __init__(self, lang: str, source: bytes, builtins: frozenset[str]) -> None:
        self.source = source
        self.lang = lang
        self.builtins = builtins
        self.error_bytes = 0
        self.is_script = False
        self._names: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._symbols: list[list[int]] = []
        self._spans: list[tuple[int, int, int]] = []  # offsets: name, start, end
        self._imports: list[tuple[int, int, int, int, int]] = []  # specifier, imported, flags, offset, owner
        self._exports: list[tuple[int, int, int, int]] = []  # name, provisional expression or NONE, import, offset
        self._bases: list[tuple[int, int, int, int]] = []
        self._decorators: list[tuple[int, int]] = []
        self._exprs: list[tuple[int, int, int]] = []
        self._expr_index: dict[tuple[int, int, int], int] = {}
        self._uses: dict[tuple[int, int, int], list[int]] = {}
        self._scopes: list[Scope] = []
        self.file = self._file_symbol()
        self.scope = self.module = self.open_scope(ScopeKind.MODULE, self.file)
        self.owner = self.file
        """The innermost named definition: new uses and imports belong to it."""

    # -- strings ------------------------------------------------------------------------------------------------

    def intern(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def text(self, start: int, end: int) -> str:
        """The source between two byte offsets; bytes that are not UTF-8 become U+FFFD."""
        return self.source[start:end].decode("utf-8", "replace")

    def _text(self, text: str) -> int:
        text = " ".join(text.split())
        if not text:
            return NONE
        if len(text) > TEXT_MAX_CHARS:
            text = text[: TEXT_MAX_CHARS - 1] + "…"
        return self._texts.setdefault(text, len(self._texts))

    # -- definitions --------------------------------------------------------------------------------------------

    def symbol(
        self,
        name: str,
        kind: SymbolKind,
        *,
        parent: int,
        at: int,
        start: int,
        end: int,
        flags: SymbolFlag = SymbolFlag(0),  # noqa: B008 - an immutable flag
        signature: str = "",
        doc: str = "",
    ) -> int:
        """Adds a definition and returns its index; it does not bind the name. `at` is the offset of the name."""
        index = len(self._symbols)
        row = [self.intern(name), kind, parent, 1, flags, self._text(signature), self._text(doc), NONE, NONE]
        self._symbols.append(row)
        self._spans.append((at, start, end))
        return index

    def set_type(self, symbol: int, type_expr: int) -> None:
        """The stated type of a variable or property, or the stated result of a function: a type expression."""
        self._symbols[symbol][7] = type_expr

    def add_value(self, symbol: int, value: int) -> None:
        """One more value that a variable is assigned or a function returns."""
        row = self._symbols[symbol]
        row[8] = self.union(row[8], value)

    def set_doc(self, symbol: int, doc: str) -> None:
        self._symbols[symbol][6] = self._text(doc)

    def add_flags(self, symbol: int, flags: SymbolFlag) -> None:
        self._symbols[symbol][4] |= flags

    def extend_span(self, symbol: int, end: int) -> None:
        """Lets a definition reach to `end`: an overload whose implementation follows, a reopened namespace."""
        at, start, old_end = self._spans[symbol]
        self._spans[symbol] = (at, start, max(old_end, end))

    def kind_of(self, symbol: int) -> SymbolKind:
        return SymbolKind(self._symbols[symbol][1])

    def parent_of(self, symbol: int) -> int:
        return self._symbols[symbol][2]

    def base(self, cls: int, role: UseRole, expr: int, at: int) -> None:
        """A base of a class, in source order; also a use of it."""
        if expr != NONE:
            self._bases.append((cls, role, expr, at))
            self._uses.setdefault((cls, role, expr), []).append(at)

    def decorator(self, symbol: int, expr: int) -> None:
        if expr != NONE:
            self._decorators.append((symbol, expr))

    # -- scopes and bindings --------------------------------------------------------------------------------------

    def open_scope(self, kind: ScopeKind, owner: int) -> Scope:
        """Enters a namespace of symbol `owner`; close it with `close_scope`."""
        parent = self._scopes[self.scope.number] if self._scopes else None
        self.scope = Scope(len(self._scopes), kind, owner, parent)
        self._scopes.append(self.scope)
        return self.scope

    def close_scope(self) -> None:
        assert self.scope.parent is not None, "the module's scope stays open"
        self.scope = self.scope.parent

    def function_scope(self) -> Scope:
        """The nearest scope that is not a block: where Python's assignments and JavaScript's `var` bind."""
        scope = self.scope
        while scope.kind == ScopeKind.BLOCK and scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, kind: SourceKind, a: int = NONE, b: int = NONE, *, scope: Scope | None = None) -> None:
        """Adds a source to a name in `scope` (default: the current one), or where the name was declared to live."""
        number = self.intern(name)
        scope = scope or self.scope
        scope = scope.aliases.get(number, scope)
        sources = scope.sources.setdefault(number, [])
        if (kind, a, b) not in sources:
            sources.append((kind, a, b))

    def declare_elsewhere(self, name: str, scope: Scope) -> None:
        """Makes a name of the current function scope mean the one in `scope` (`global`, `nonlocal`)."""
        self.function_scope().aliases[self.intern(name)] = scope

    def is_bound_here(self, name: str) -> bool:
        number = self._names.get(name)
        return number is not None and number in self.scope.sources

    def member(self, cls_scope: Scope, name: str, kind: SourceKind, a: int) -> None:
        """Adds a source to a member of a class, from inside one of its methods (`self.x = e`)."""
        self.bind(name, kind, a, scope=cls_scope)

    # -- imports and exports ----------------------------------------------------------------------------------------

    def import_(self, specifier: str, imported: str | int, at: int, flags: ImportFlag = ImportFlag(0)) -> int:  # noqa: B008
        """Adds an import row and returns its index. `imported` is a name, NONE for the module, or Import.STAR."""
        number = self.intern(imported) if isinstance(imported, str) else imported
        self._imports.append((self.intern(specifier), number, flags, at, self.owner))
        return len(self._imports) - 1

    def star_import(self, specifier: str, at: int, flags: ImportFlag = ImportFlag(0)) -> None:  # noqa: B008
        """`from m import *`: any name that is bound nowhere else may come from there (name "*" of the scope)."""
        self.bind("*", SourceKind.IMPORT, self.import_(specifier, Import.STAR, at, flags))

    def export(self, name: str | None, *, local: str | None = None, import_: int = NONE, at: int) -> None:
        """Offers a name to other modules: a binding of the module scope, or what an import row brings.

        `name` None re-exports all; "=" makes the module itself the value.
        """
        expr = NONE if local is None else self._provisional(self.module, self.intern(local))
        self._exports.append((NONE if name is None else self.intern(name), expr, import_, at))

    # -- expressions --------------------------------------------------------------------------------------------

    def expr(self, op: Op, a: int, b: int = NONE) -> int:
        """The handle of an expression row, equal for equal rows."""
        row = (int(op), a, b)
        index = self._expr_index.get(row)
        if index is None:
            index = self._expr_index[row] = len(self._exprs)
            self._exprs.append(row)
        return index

    def name(self, name: str) -> int:
        """A bare name, resolved in `finish` from the scope that is current now."""
        return self._provisional(self.scope, self.intern(name))

    def attribute(self, of: int, name: str) -> int:
        return NONE if of == NONE else self.expr(Op.ATTR, of, self.intern(name))

    def call(self, callee: int, arguments: Sequence[int] = ()) -> int:
        return NONE if callee == NONE else self.expr(Op.CALL, callee, self.args(arguments))

    def apply(self, type_: int, arguments: Sequence[int]) -> int:
        """A type with its type arguments."""
        return NONE if type_ == NONE else self.expr(Op.APPLY, type_, self.args(arguments))

    def tuple_of(self, parts: Sequence[int]) -> int:
        return self.expr(Op.TUPLE, self.args(parts))

    def wrap(self, op: Op, of: int, b: int = NONE) -> int:
        """`op` over one operand: INDEX, ITER, ENTER, AWAIT, ITEM, INSTANCE."""
        return NONE if of == NONE else self.expr(op, of, b)

    def union(self, left: int, right: int) -> int:
        if left in (NONE, right):
            return right
        return left if right == NONE else self.expr(Op.UNION, left, right)

    def unions(self, parts: Iterable[int]) -> int:
        result = NONE
        for part in parts:
            result = self.union(result, part)
        return result

    def literal(self, type_name: str) -> int:
        return self.expr(Op.LITERAL, self.intern(type_name))

    def container(self, type_name: str, element: int) -> int:
        return self.expr(Op.CONTAINER, self.intern(type_name), element)

    def args(self, parts: Sequence[int]) -> int:
        """The ARG list of `parts` (any may be NONE), trailing NONEs cut."""
        result = NONE
        for part in reversed(parts):
            if part != NONE or result != NONE:
                result = self.expr(Op.ARG, part, result)
        return result

    def _provisional(self, scope: Scope, name: int) -> int:
        row = (_PROVISIONAL_NAME, scope.number, name)
        index = self._expr_index.get(row)
        if index is None:
            index = self._expr_index[row] = len(self._exprs)
            self._exprs.append(row)
        return index

    # -- uses ---------------------------------------------------------------------------------------------------

    def use(self, role: UseRole, expr: int, at: int) -> None:
        """The current owner uses what `expr` means; `at` is the offset of the used name itself."""
        if expr != NONE:
            self._uses.setdefault((self.owner, role, expr), []).append(at)

    # -- the result -----------------------------------------------------------------------------------------------

    def finish(self) -> FileFacts:
        place = _Places(self.source)
        heads = self._resolve_heads()
        binding_of, binding_rows = self._number_bindings(heads)
        remap, exprs = self._merge_exprs(heads, binding_of)
        sources: list[tuple[int, int, int]] = []
        bindings: list[tuple[int, ...]] = []
        for scope, name in binding_rows:
            own = scope.sources[name]
            bindings.append((name, scope.owner, scope.kind, len(sources), len(own)))
            sources += [(k, remap[a] if k in _EXPR_SOURCES and a >= 0 else a, b) for k, a, b in own]
        uses, sites = self._group_uses(remap, exprs, bindings, sources)
        return FileFacts(
            lang=self.lang,
            size=len(self.source),
            lines=place.lines,
            error_bytes=self.error_bytes,
            names=tuple(self._names),
            texts=tuple(self._texts),
            symbols=_table(self._symbol_rows(remap, place)),
            bindings=_table(bindings),
            sources=_table(sources),
            imports=_table([(s, n, f, *place(at), owner) for s, n, f, at, owner in self._imports]),
            exports=_table(self._export_rows(heads, binding_of, place)),
            bases=_table([(c, role, remap[e], *place(at)) for c, role, e, at in self._bases]),
            decorators=_table([(s, remap[e]) for s, e in self._decorators]),
            exprs=_table(exprs),
            uses=_table(uses),
            sites=_table([place(at) for at in sites]),
            is_script=self.is_script,
        )

    def _file_symbol(self) -> int:
        self._symbols.append([self.intern(""), SymbolKind.FILE, NONE, 1, SymbolFlag.EXPORTED, NONE, NONE, NONE, NONE])
        self._spans.append((0, 0, max(0, len(self.source) - 1)))
        return 0

    def _resolve_heads(self) -> dict[int, Scope | None]:
        """For every provisional expression, the scope that binds its name, or None."""
        return {
            index: self._lookup(self._scopes[a], b)
            for index, (op, a, b) in enumerate(self._exprs)
            if op == _PROVISIONAL_NAME
        }

    def _lookup(self, start: Scope, name: int) -> Scope | None:
        scope: Scope | None = start
        crossed_function = False
        while scope is not None:
            target = scope.aliases.get(name, scope)
            if name in target.sources and not (crossed_function and scope.kind == ScopeKind.CLASS):
                return target
            crossed_function |= scope.kind == ScopeKind.FUNCTION
            scope = scope.parent
        return None

    def _number_bindings(
        self, heads: dict[int, Scope | None]
    ) -> tuple[dict[tuple[int, int], int], list[tuple[Scope, int]]]:
        """Numbers the bindings that can matter: those of modules and classes, and the locals that a head means."""
        meant = {(scope.number, self._exprs[index][2]) for index, scope in heads.items() if scope is not None}
        numbers: dict[tuple[int, int], int] = {}
        rows: list[tuple[Scope, int]] = []
        for scope in self._scopes:
            is_public = scope.kind in (ScopeKind.MODULE, ScopeKind.CLASS)
            for name in scope.sources:
                if is_public or (scope.number, name) in meant:
                    numbers[scope.number, name] = len(rows)
                    rows.append((scope, name))
        return numbers, rows

    def _merge_exprs(
        self, heads: dict[int, Scope | None], binding_of: dict[tuple[int, int], int]
    ) -> tuple[list[int], list[tuple[int, int, int]]]:
        """Resolves heads and merges the rows that became equal; returns old index -> new, and the new rows."""
        remap: list[int] = []
        rows: list[tuple[int, int, int]] = []
        index_of: dict[tuple[int, int, int], int] = {}
        for index, (op, a, b) in enumerate(self._exprs):
            if op == _PROVISIONAL_NAME:
                scope = heads[index]
                row = (int(Op.GLOBAL), b, NONE) if scope is None else (int(Op.NAME), binding_of[scope.number, b], NONE)
            else:
                shape = _OPERANDS[op]
                row = (op, remap[a] if shape & 1 and a >= 0 else a, remap[b] if shape & 2 and b >= 0 else b)
            new = index_of.get(row)
            if new is None:
                new = index_of[row] = len(rows)
                rows.append(row)
            remap.append(new)
        return remap, rows

    def _group_uses(
        self,
        remap: list[int],
        exprs: list[tuple[int, int, int]],
        bindings: list[tuple[int, ...]],
        sources: list[tuple[int, int, int]],
    ) -> tuple[list[tuple[int, ...]], list[int]]:
        builtins = {self._names[name] for name in self.builtins if name in self._names}
        grouped: dict[tuple[int, int, int], list[int]] = {}
        for (owner, role, expr), at in self._uses.items():
            new = remap[expr]
            op, a, _ = exprs[new]
            if op == Op.GLOBAL and a in builtins:
                continue
            if op == Op.NAME and role == UseRole.REFERENCE and _is_plain_local(bindings[a], sources):
                continue
            key = (owner, role, new)
            if key in grouped:
                grouped[key] = sorted(grouped[key] + at)
            else:
                grouped[key] = at
        rows: list[tuple[int, ...]] = []
        sites: list[int] = []
        for (owner, role, expr), at in grouped.items():
            rows.append((owner, role, expr, len(sites), len(at)))
            sites += at
        return rows, sites

    def _symbol_rows(self, remap: list[int], place: _Places) -> list[tuple[int, ...]]:
        rows: list[tuple[int, ...]] = []
        paths: list[tuple[int, ...]] = []  # of each symbol, the names from the outermost in
        seen: dict[tuple[int, ...], int] = {}
        for row, (at, start, end) in zip(self._symbols, self._spans, strict=True):
            name, kind, parent, _, flags, signature, doc, type_, value = row
            path = (*paths[parent], name) if parent >= 0 else ()
            paths.append(path)
            ordinal = seen[path] = seen.get(path, 0) + 1
            line, col = place(at)
            end_line = place(max(start, end - 1))[0]
            mapped = (remap[type_] if type_ >= 0 else NONE, remap[value] if value >= 0 else NONE)
            rows.append(
                (name, kind, parent, ordinal, flags, line, col, place(start)[0], end_line, signature, doc, *mapped)
            )
        return rows

    def _export_rows(
        self, heads: dict[int, Scope | None], binding_of: dict[tuple[int, int], int], place: _Places
    ) -> list[tuple[int, ...]]:
        rows: list[tuple[int, ...]] = []
        for name, expr, import_, at in self._exports:
            scope = heads[expr] if expr != NONE else None
            binding = NONE if scope is None else binding_of[scope.number, self._exprs[expr][2]]
            rows.append((name, binding, import_, *place(at)))
        return rows


_EXPR_SOURCES = (SourceKind.VALUE, SourceKind.TYPED)
_KNOWN_SOURCES = (SourceKind.SYMBOL, SourceKind.IMPORT)

# Which of (a, b) are expressions: bit 1 for a, bit 2 for b.
_OPERANDS: dict[int, int] = {
    Op.NAME: 0,
    Op.GLOBAL: 0,
    Op.ATTR: 1,
    Op.CALL: 3,
    Op.INDEX: 3,
    Op.ITER: 1,
    Op.ENTER: 1,
    Op.AWAIT: 1,
    Op.ITEM: 1,
    Op.UNION: 3,
    Op.INSTANCE: 1,
    Op.SUPER: 0,
    Op.LITERAL: 0,
    Op.CONTAINER: 2,
    Op.APPLY: 3,
    Op.ARG: 3,
    Op.SYMBOL: 0,
    Op.THIS: 0,
    Op.TUPLE: 1,
}


def _is_plain_local(binding: tuple[int, ...], sources: list[tuple[int, int, int]]) -> bool:
    """Whether reading the name can reach no definition: a local that no definition or import binds."""
    _, _, scope, first, count = binding
    if scope not in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
        return False
    return all(kind not in _KNOWN_SOURCES for kind, _, _ in sources[first : first + count])


def _table(rows: Sequence[Iterable[int]]) -> bytes:
    return array("i", [cell for row in rows for cell in row]).tobytes()


class _Places:
    """Byte offset -> (line, column), 1-based, the column in UTF-16 code units."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._is_ascii = source.isascii()
        starts = [0]
        find = source.find
        at = find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = find(b"\n", at + 1)
        self._starts = starts
        self.lines = len(starts) - (starts[-1] == len(source) and len(source) > 0)

    def __call__(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if self._is_ascii:
            return line, offset - start + 1
        prefix = self._source[start:offset]
        if prefix.isascii():
            return line, len(prefix) + 1
        return line, len(prefix.decode("utf-8", "replace").encode("utf-16-le")) // 2 + 1
