"""How code gets at members and values by names that stand in strings, as data: what a rename has to change in strings.

Patterns are regular expressions that are searched for; an empty one matches nothing.
"""

from __future__ import annotations

import msgspec


class NamesInStrings(msgspec.Struct, frozen=True, kw_only=True):
    member_lookups: frozenset[str] = frozenset()
    """Functions and methods that read the member of their first argument whose name the second is (`getattr`)."""
    member_access: frozenset[str] = frozenset()
    """Names by which code gets at members of which it has the names, these of `member_lookups` among them."""
    own_names: str = ""
    """A pattern of what gives the names of all members that the object of a method has: `dir(self)`."""
    own_values: frozenset[str] = frozenset()
    """What the value that a method is called for is called in it, by a convention that nobody breaks (`self`)."""
    class_name_members: frozenset[str] = frozenset()
    """Members of a class that give its name (`__name__`)."""
    member_strings: str = ""
    """A pattern of the text before a string that names a member, its opening quote included: `setattr(self, "`."""
    member_lists: str = ""
    """The same of a string in which a class declares a member that it has: `__slots__ = ("`."""
    export_lists: str = ""
    """The same of a string in which a module lists what it exports: `__all__ = ("`."""
    named_values: str = ""
    """The same of a string that has to be the name of the variable whose value it is part of: `T = TypeVar("`."""
    member_fields: str = ""
    """A pattern of the text before the name of a member that a string is filled in with; its group is what has the
    member: `"{self.`."""
    member_tables: str = ""
    """A pattern of the members of a value by their names, its last group being the value: `vars(self)`."""
    namespaces: str = ""
    """A pattern of what gives the values of all names that there are: `globals()`."""
    keyed_classes: str = ""
    """A pattern of the head of a class whose values are dictionaries, with its fields as keys (`TypedDict`)."""
    field_classes: str = ""
    """A pattern of the head of a class whose constructor takes its fields by their names (`@dataclass`)."""
    entry_takers: str = ""
    """A pattern of code that gives fields of a class, `{cls}`, what a dictionary has: `replace(entry, **given)`."""
    prefixless_fields: str = ""
    """A pattern of the head of a class that takes private members by their names without the prefix (`@attr.s`)."""
    patterns_name_members: bool = True
    """Whether a pattern may bind a name by that of a member (`const { size } = given`)."""
    borrowed_call: str = ""
    """A pattern of a call of a method, `{name}` of `{cls}`, for a value of whatever class the calling method is in."""
    name_readers: str = ""
    """A pattern of code in a class by which texts show the name of the class: `type(self).__name__`."""
    module_makers: frozenset[str] = frozenset()
    """Names by which code gets modules that no import of it names (`import_module`); none where modules are no values,
    or always may be."""
