"""Classifies the words of a file by its syntax: text, a comment, a name in code, or part of what could not be parsed.

The kinds of nodes are read as words, which grammars have in common (`string_content`, `line_comment`,
`keyword_argument`), so that no language needs a table of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import itemgetter

from tree_sitter import Node

from codemap.depth import deep_recursion
from codemap.extract.extract import error_spans, parsed
from codemap.languages import language_of
from codemap.occurrences.words import Nature, look, offsets, without_bom

_TEXT = re.compile(
    r"string|(?:^|_)text(?:$|_)|heredoc|nowdoc|regex|fragment|rune_lit|char(?:acter)?(?:_literal)?(?:_content)?$|escape|quasi"
    r"|template_chars|markup"
)
_BODY = re.compile(r"^(?:block|module)$")
_SYMBOL = re.compile(r"^(?:simple_symbol|delimited_symbol|bare_symbol)$")
_QUOTE = b"`"
_EVALUATES = re.compile(rb"(?:class_|module_|instance_)?eval")
_MACRO = re.compile(r"^(?:preproc_arg|preproc_call|token_tree|token_tree_pattern|macro_rule|preproc_function_def)$")
_LABEL = re.compile(
    r"label|^statement_identifier$|^hash_key_symbol$|^package_identifier$|^shorthand_property_identifier"
)
_JUMP = re.compile(r"^(?:labeled|break|continue|goto)_statement$")
_LABELED = re.compile(
    r"^(?:keyword_argument|argument|element_value_pair|attribute_argument|pair|pair_pattern|field_initializer|keyed_element|field_pattern"
    r"|initializer_pair|name_colon|value_argument|named_argument|property_signature|method_signature|method_definition|field_declaration"
    r"|jsx_attribute|enum_assignment)$"
)
_LABEL_FIELDS = ("name", "key", "field", "designator", "declarator")
_MODULES = re.compile(
    r"import|^use_|^package|namespace|^using_directive|^mod_item$|^export_specifier$|^extern_crate|^preproc_def$"
    r"|^future_import|^field_designator$|^shorthand_field|^property_signature$|^literal_element$"
)
_DECLARING = re.compile(
    r"^(?:variable_declarator|init_declarator|var_spec|const_spec|variable_declaration|variable_name|global_statement"
    r"|nonlocal_statement|as_pattern_target|exception_variable|catch_declaration|declaration_expression|let_declaration"
    r"|let_condition|condition_clause|for_range_loop|foreach_statement|for_each_statement|catch_clause|catch_block"
    r"|catch_formal_parameter|enhanced_for_statement|binding|multi_variable_declaration|captured_pattern|match_pattern)$"
)
_ASSIGNING = re.compile(r"assign|^for|_for|short_var|range|in_clause|foreach")
_DECLARED_FIELDS = ("pattern", "alias", "declarator", "parameters", "value_path")
_PATTERN = re.compile(r"list$|pattern|declarator$|tuple|splat|as_pattern|shorthand_property_identifier_pattern")
_FUNCTION = re.compile(
    r"function|method|lambda|closure|constructor|destructor|comprehension|generator_expression|arrow|func_literal|^block$|do_block"
    r"|secondary_constructor|accessor|getter|setter|initializer$|^init_declaration$"
)
_TYPES = re.compile(r"^(?:class|interface|struct|enum|trait|impl|type|record|object|template|companion)_?\w*$")
_HEADS = re.compile(
    r"param|declarator|invocation|call|reference|_type$|identifier|arguments|primary_constructor|type_list|_body$"
)
"""Kinds that have the words of those in which variables live, and are parts of them."""
_OWN_NAMES = re.compile(r"^(?:generator_)?function(?:_expression)?$")
"""Expressions whose names are seen in themselves alone."""
_PARAMETER = re.compile(r"param|^metavariable$")
_WRAPPING = re.compile(r"declarator$|^variable_name$")
_NOT_DECLARED = ("type", "value", "right", "default", "default_value", "return_type")
_MEMBERS = re.compile(
    r"^(?:attribute|member_expression|selector_expression|field_access|field_expression|member_access_expression"
    r"|nullsafe_member_access_expression|member_call_expression|nullsafe_member_call_expression|scoped_call_expression"
    r"|class_constant_access_expression|scoped_property_access_expression|navigation_suffix|method_invocation|call"
    r"|method_reference|conditional_access_expression|member_binding_expression|qualified_identifier|scoped_identifier"
    r"|scoped_type_identifier|qualified_name|nested_type_identifier|qualified_type)$"
)
_SCOPE_FIELDS = ("scope", "path", "qualifier")
_NAMED_AGAIN = re.compile(r"^(?:template_type|destructor_name)$")
"""`Box<T>::` and `~Box` name a class again, whose member is defined."""
_MEMBER_FIELDS = ("attribute", "property", "field", "name", "method")

Spans = Sequence[tuple[int, int]]
"""In bytes, in order, apart from each other."""


def words_in(path: str, source: bytes, name: str) -> bytes:
    """The rows of `codemap.occurrences.words.Sighted.words`. Cost: one parse, where the name is there.

    Raises LookupError when no language has that suffix.
    """
    return words_of_names(path, source, (name,)).get(name, b"")


def words_of_names(path: str, source: bytes, names: Iterable[str]) -> dict[str, bytes]:
    """The same of several names, of those that are there. Cost: one parse.

    Raises LookupError when no language has that suffix.
    """
    present = [name for name in names if name.encode("utf-8", "surrogateescape") in source]
    if not present:
        return {}
    source = without_bom(source)
    with deep_recursion():
        root = parsed(path, source).root_node
    errors = [(start, end) for start, end in error_spans(root) if end > start] if root.has_error else []
    language = language_of(path)
    inactive = (
        language.parsing.find_inactive(source, root) if language is not None and language.parsing.find_inactive else ()
    )
    found = {name: _words(root, errors, inactive, source, name) for name in present}
    return {name: words for name, words in found.items() if words}


def _words(root: Node, errors: Spans, inactive: Spans, source: bytes, name: str) -> bytes:
    """The rows of one name in a tree, of which some spans are errors, or code that no build has."""
    size = len(name.encode("utf-8", "surrogateescape"))
    found: dict[int, Nature] = {}
    bare: list[tuple[int, Node]] = []
    scopes: list[tuple[int, int, Nature]] = []
    for start in offsets(source, name):
        if _is_within(errors, start):
            found[start] = Nature.ERROR
            continue
        if _is_within(inactive, start):
            found[start] = Nature.COMMENT
            continue
        node = root.descendant_for_byte_range(start, start + size)
        nature = found[start] = Nature.MACRO if node is None else _find_nature(node, start)
        if node is not None and nature in (Nature.CODE, Nature.PARAMETER, Nature.LABEL, Nature.MACRO):
            if nature is Nature.CODE or (nature is Nature.MACRO and _stands_alone(node)):
                bare.append((start, node))
            if nature is Nature.PARAMETER or _declares(node):
                scopes += _find_scope(node, Nature.PARAMETER if nature is Nature.PARAMETER else Nature.LOCAL)
    for start, _ in bare:
        within = [(end - begin, nature) for begin, end, nature in scopes if begin <= start < end]
        found[start] = min(within)[1] if within else found[start]
    return look(source, found)


def _is_within(spans: Spans, at: int) -> bool:
    place = bisect_right(spans, at, key=itemgetter(0)) - 1
    return place >= 0 and at < spans[place][1]


def _stands_alone(node: Node) -> bool:
    """Whether a token of a macro's arguments is a name by itself, not a member of something."""
    before = node.prev_sibling
    return "identifier" in node.type and (before is None or before.type not in (".", "::", "->", "$"))


def _declares(node: Node) -> bool:
    """Whether a name declares or assigns a variable."""
    child, parent = node, node.parent
    if _matches(_PATTERN, node.type):
        return True
    while parent is not None:
        field = _find_field(child, parent)
        if field in _NOT_DECLARED or (not field and child.prev_sibling is not None and child.prev_sibling.type == "="):
            return False
        if _matches(_DECLARING, parent.type) or field in _DECLARED_FIELDS:
            return True
        if field == "left" and _matches(_ASSIGNING, parent.type):
            return True
        if not _matches(_PATTERN, parent.type):
            return False
        child, parent = parent, parent.parent
    return False


def _find_scope(node: Node, nature: Nature) -> Iterator[tuple[int, int, Nature]]:
    """Where the function begins and ends that a variable is declared in, or the type that a parameter is one of;
    nothing for variables outside of functions."""
    around = node.parent
    while around is not None:
        kind = around.type
        holds = _matches(_FUNCTION, kind) or (nature is Nature.PARAMETER and _matches(_TYPES, kind))
        if holds and not _matches(_HEADS, kind) and around.end_byte > node.end_byte:
            yield around.start_byte, around.end_byte, nature
            return
        around = around.parent


def _find_nature(node: Node, start: int) -> Nature:
    own = node.type
    parent = node.parent
    around = parent.type if parent is not None else ""
    if "comment" in own or "comment" in around:
        return Nature.COMMENT
    if not node.is_named:
        return Nature.KEYWORD
    if own in ("preproc_arg", "preproc_call") and "region" in around:
        return Nature.COMMENT
    if _matches(_TEXT, own):
        if _is_evaluated(node):
            return Nature.MACRO
        return Nature.COMMENT if _is_statement(node) else Nature.STRING
    if _matches(_SYMBOL, own):
        return Nature.SYMBOL
    if _matches(_MACRO, own) or (_matches(_MACRO, around) and own != "preproc_params"):
        return Nature.MACRO
    if (
        "identifier" in own
        and (text := node.text or b"")[:1] == _QUOTE
        and not text.decode("utf-8", "replace")[1:-1].isidentifier()
    ):
        return Nature.COMMENT  # a name that is a sentence
    if parent is None or (node.child_count and node.start_byte != start):
        return Nature.MACRO
    return _judge_name(node, own, parent, around)


def _is_statement(node: Node) -> bool:
    """Whether text is a whole statement, which does nothing and is there to be read (a docstring)."""
    around = node.parent
    while around is not None and _matches(_TEXT, around.type):
        around = around.parent
    if around is None:
        return False
    return _matches(_BODY, around.type) or (around.type == "expression_statement" and around.named_child_count == 1)


def _is_evaluated(node: Node) -> bool:
    """Whether text is code that a call runs (`class_eval "…"`), of which nothing is understood."""
    while node.parent is not None and _matches(_TEXT, node.parent.type):
        node = node.parent
    call = node.prev_named_sibling if "heredoc" in node.type else node.parent
    while call is not None and "argument" in call.type:
        call = call.parent
    called = None if call is None else call.child_by_field_name("method") or call.child_by_field_name("function")
    return called is not None and _EVALUATES.fullmatch(called.text or b"") is not None


def _judge_name(node: Node, own: str, parent: Node, around: str) -> Nature:
    """The nature of a word that the grammar takes for a name."""
    field = _find_field(node, parent)
    if _is_declared_parameter(node, parent):
        return Nature.PARAMETER
    above = parent.parent.type if parent.parent is not None else ""
    if field in _SCOPE_FIELDS and _matches(_MEMBERS, around):
        return Nature.LABEL
    if _matches(_NAMED_AGAIN, around) and (around == "destructor_name" or _is_scope(parent)):
        return Nature.LABEL
    if _matches(_LABEL, own) or _matches(_JUMP, around) or _matches(_MODULES, around) or _matches(_MODULES, above):
        return Nature.LABEL
    if _matches(_LABELED, around) and (
        field in _LABEL_FIELDS or (not field and parent.children[:1] == [node] and parent.child_count > 1)
    ):
        return Nature.LABEL
    if _matches(_MEMBERS, around) and (field in _MEMBER_FIELDS or not field):
        return Nature.MEMBER
    return Nature.LOCAL if field == "name" and _matches(_OWN_NAMES, around) else Nature.CODE


def _is_scope(node: Node) -> bool:
    around = node.parent
    return around is not None and _find_field(node, around) in _SCOPE_FIELDS and _matches(_MEMBERS, around.type)


def _is_declared_parameter(node: Node, parent: Node) -> bool:
    """Whether a parameter is called so, perhaps inside of what a declarator says of its type (`&name`, `$name`)."""
    if _matches(_PARAMETER, node.type):
        return True
    child, around = node, parent
    while _matches(_WRAPPING, around.type) and around.parent is not None:
        child, around = around, around.parent
    return _matches(_PARAMETER, around.type) and _find_field(child, around) not in _NOT_DECLARED


def _find_field(node: Node, parent: Node) -> str:
    """The field of the parent that a node is in; empty for none."""
    for place, child in enumerate(parent.children):
        if child == node:
            return parent.field_name_for_child(place) or ""
    return ""


@cache
def _matches(pattern: re.Pattern[str], kind: str) -> bool:
    """Grammars have some hundred kinds."""
    return pattern.search(kind) is not None
