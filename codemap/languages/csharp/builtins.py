"""The types of the language and of its standard library that say what their values hold, and what their methods give.

A type is named with the number of its type parameters, as `mangled_names` says: `Task` and `Task<T>` are two types.

Source: the C# language specification, "Types", "Conversions"; the documentation of System.Collections.Generic,
System.Linq and System.Threading.Tasks.
"""

from __future__ import annotations

from codemap.languages.containers import Container
from codemap.mangled_names import mangle_type


def names(text: str) -> frozenset[str]:
    """The names in a text, which white space parts."""
    return frozenset(text.split())


CONSTRUCTOR = "<ctor>"
INDEXER = "this[]"
ARRAY = "[]"
"""The name of the type of arrays, which no file can define."""
KEYWORDS = {
    "bool": "Boolean",
    "byte": "Byte",
    "char": "Char",
    "decimal": "Decimal",
    "double": "Double",
    "float": "Single",
    "int": "Int32",
    "long": "Int64",
    "object": "Object",
    "sbyte": "SByte",
    "short": "Int16",
    "string": "String",
    "uint": "UInt32",
    "ulong": "UInt64",
    "ushort": "UInt16",
}
"""Keywords that mean types of the namespace System."""
ANY = "<T>"
"""The type of values of which only a type parameter without bounds is known."""
BUILTINS = frozenset({ARRAY, ANY, "dynamic", "void"})
_INTEGERS = ("sbyte", "short", "int", "long")
_UNSIGNED = ("byte", "ushort", "uint", "ulong")
_ABOVE_UNSIGNED = ("short", "ushort", "int", "uint", "long", "ulong")
"""What unsigned numbers are handed on as: a signed one goes before an unsigned one of its size."""
_REAL = ("float", "double", "decimal")
_ABOVE = (
    *(mangle_type(name, 1) for name in ("IComparable", "IEquatable")),
    *(mangle_type(name, 0) for name in ("IComparable", "IConvertible", "IFormattable", "ValueType")),
    "object",
    "dynamic",
)
_WIDER = {
    **{name: (*_INTEGERS[at + 1 :], *_REAL) for at, name in enumerate(_INTEGERS)},
    **{name: (*_ABOVE_UNSIGNED[2 * at :], *_REAL) for at, name in enumerate(_UNSIGNED)},
    "float": ("double",),
    "double": (),
    "decimal": (),
    "char": ("ushort", "int", "uint", "long", "ulong", *_REAL),
    "bool": (),
}
_NARROWER = {"int": (*_UNSIGNED, *_INTEGERS[:2])}
"""What a constant fits that is written as one of another type."""
_NUMBERS = {
    name: (f"{name}?", *wider, *(f"{other}?" for other in wider), *_NARROWER.get(name, ()), *_ABOVE)
    for name, wider in _WIDER.items()
}
_LISTS = (
    *(mangle_type(name, 1) for name in ("IEnumerable", "IReadOnlyList", "IReadOnlyCollection", "IList", "ICollection")),
    *(mangle_type(name, 0) for name in ("IEnumerable", "IList", "ICollection", "Array")),
)
CONVERTS: dict[str, tuple[str, ...]] = {
    "*": (ANY,),
    **_NUMBERS,
    **{f"{name}?": (*(f"{other}?" for other in others), "object", "dynamic") for name, others in _NUMBERS.items()},
    "string": (*_ABOVE, *_LISTS, mangle_type("ReadOnlySpan", 1)),
    ARRAY: (
        *_LISTS,
        *(mangle_type(name, 1) for name in ("Span", "ReadOnlySpan", "Memory", "ReadOnlyMemory")),
        "object",
    ),
}
"""These types have no heirs. To say that one suits no other type is safe only of those that the source can spell."""
_OPEN = tuple(mangle_type(name, 1) for name in ("IReadOnlyList", "IReadOnlyCollection", "IEnumerable"))
_PLAIN = tuple(mangle_type(name, 0) for name in ("IList", "ICollection", "IEnumerable"))
_PAIRED = (mangle_type("IDictionary", 2), mangle_type("IReadOnlyDictionary", 2), mangle_type("IDictionary", 0))
_HANDED_ON: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "List Collection ObservableCollection ReadOnlyCollection": ("IList ICollection", _OPEN, _PLAIN),
    "IList": ("ICollection", _OPEN[-1:], _PLAIN[-1:]),
    "ICollection": ("", _OPEN[-1:], _PLAIN[-1:]),
    "IReadOnlyList": ("", _OPEN[1:], _PLAIN[-1:]),
    "HashSet SortedSet": ("ISet ICollection", _OPEN[1:], _PLAIN[-1:]),
    "ISet LinkedList": ("ICollection", _OPEN[-1:], _PLAIN[-1:]),
    "Queue Stack": ("", _OPEN[1:], _PLAIN[1:]),
    "IReadOnlyCollection IOrderedEnumerable IQueryable": ("", _OPEN[-1:], _PLAIN[-1:]),
    "IEnumerable": ("", (), _PLAIN[-1:]),
}
ABOVE: dict[str, tuple[str, ...]] = {
    **{
        mangle_type(name, 1): (*(mangle_type(each, 1) for each in lists.split()), *generic, *plain, "object")
        for listed, (lists, generic, plain) in _HANDED_ON.items()
        for name in listed.split()
    },
    **{mangle_type(name, 2): (*_PAIRED, *_PLAIN[1:], "object") for name in ("Dictionary", "SortedDictionary")},
    mangle_type("Task", 1): (mangle_type("Task", 0), "object"),
    mangle_type("Task", 0): ("object",),
}
"""Types that hold others, as the documentation of System.Collections.Generic shows them."""
_ONE = Container(element=0, value=0)
_HELD = Container(element=-1, value=0)
_PAIRS = Container(element=-1, value=1)
_AWAITED = Container(element=-1, value=-1, result=0)


def _listed(text: str, count: int, container: Container) -> dict[str, Container]:
    """Types by their names alone, as they are named in full, and by the number of their type parameters."""
    return {key: container for name in names(text) for key in (name, mangle_type(name, count))}


CONTAINERS = {
    ARRAY: _ONE,
    **_listed(
        "BlockingCollection Collection ConcurrentBag ConcurrentQueue ConcurrentStack HashSet IAsyncEnumerable"
        " IAsyncEnumerator ICollection IEnumerable IEnumerator IImmutableList IList IOrderedEnumerable"
        " IOrderedQueryable"
        " IQueryable IReadOnlyCollection IReadOnlyList ISet ImmutableArray ImmutableHashSet ImmutableList LinkedList"
        " List"
        " Memory ObservableCollection Queue ReadOnlyCollection ReadOnlyMemory ReadOnlySpan SortedSet Span Stack",
        1,
        _ONE,
    ),
    **_listed("Lazy StrongBox ThreadLocal AsyncLocal LinkedListNode WeakReference", 1, _HELD),
    **_listed(
        "ConcurrentDictionary Dictionary IDictionary IReadOnlyDictionary ImmutableDictionary KeyedCollection"
        " SortedDictionary SortedList",
        2,
        _PAIRS,
    ),
    **_listed("Task ValueTask TaskCompletionSource", 1, _AWAITED),
}
TAKING = {
    **dict.fromkeys(names("TryDequeue TryGetElementAt TryPeek TryPop TryTake"), "element"),
    **dict.fromkeys(names("TryGetTarget TryGetValue TryRemove"), "value"),
}
"""Methods of containers that set the variable which is their last argument."""


def out_of(name: str) -> str:
    """The name under which a container has what such a method sets."""
    return f"out {name}"


CONTAINER_METHODS = {
    **{out_of(name): what for name, what in TAKING.items()},
    **dict.fromkeys(
        names(
            "Aggregate Dequeue ElementAt ElementAtOrDefault Find FindLast First FirstOrDefault Last LastOrDefault Max"
            " Min"
            " Peek Pop Single SingleOrDefault MaxBy MinBy"
        ),
        "element",
    ),
    **dict.fromkeys(names("GetValueOrDefault GetOrAdd AddOrUpdate"), "value"),
    **dict.fromkeys(
        names(
            "Append AsEnumerable Concat ConfigureAwait DefaultIfEmpty Distinct Except FindAll Intersect OrderBy"
            " OrderByDescending Prepend Reverse Skip SkipWhile Take TakeWhile ThenBy ThenByDescending Union Where"
            " AsReadOnly GetRange AsParallel AsQueryable"
        ),
        "self",
    ),
    **dict.fromkeys(names("GetEnumerator ToArray ToHashSet ToList ToImmutableList ToImmutableArray"), "elements"),
}
CONTAINER_CALLBACKS = dict.fromkeys(
    names(
        "All Any Average Count Exists Find FindAll FindIndex FindLast First FirstOrDefault ForEach GroupBy Last"
        " LastOrDefault Max MaxBy Min MinBy OrderBy OrderByDescending RemoveAll Select SelectMany Single"
        " SingleOrDefault"
        " SkipWhile Sum TakeWhile ThenBy ThenByDescending ToDictionary ToLookup TrueForAll Where"
    ),
    "element",
)
TRANSPARENT = {"Nullable": 0, mangle_type("Nullable", 1): 0, "Expression": 0, mangle_type("Expression", 1): 0}
OPAQUE = names("dynamic object")
IN_EVERY_CLASS = names("Equals GetHashCode GetType MemberwiseClone ReferenceEquals ToString Finalize HasFlag")
"""Methods of System.Object and System.Enum."""
BUILTIN_MEMBERS = names(
    "Abort Add AddRange Aggregate All Any Append AppendLine Apply AsReadOnly BeginInvoke BinarySearch Cast Check"
    " Clear Clone Close Combine Compare CompareTo Concat ConfigureAwait Contains ContainsKey ContainsValue"
    " ContinueWith Copy CopyTo Count Create CreateInstance Debug DefaultIfEmpty Delete Dequeue Dispose Distinct"
    " ElementAt ElementAtOrDefault EndInvoke EndsWith Enqueue Ensure Equals Error Except Execute Exists Exit Fatal"
    " Find FindAll FindIndex First FirstOrDefault Flush ForEach Format Get GetAttribute GetAwaiter GetBytes"
    " GetConstructor GetCustomAttributes GetEnumerator GetField GetFields GetGetMethod GetHashCode GetInterfaces"
    " GetItem GetLength GetMembers GetMethod GetMethods GetName GetProperties GetProperty GetResult GetSetMethod"
    " GetString GetType GetTypes GetValue GroupBy IndexOf IndexOfAny Info Insert Intersect Invoke IsAssignableFrom"
    " IsDefined IsMatch Join Last LastIndexOf LastOrDefault Load Log Match Matches Max Min Move MoveNext Next OfType"
    " Open OrderBy OrderByDescending PadLeft PadRight Parse Peek Pop Print Process Publish Push Read ReadByte"
    " ReadLine ReadToEnd Release Remove RemoveAll RemoveAt RemoveRange Replace Reset Reverse Run Save Seek Select"
    " SelectMany Send SequenceEqual Set SetValue Show Single SingleOrDefault Skip SkipWhile Sort Split Start"
    " StartsWith Stop Subscribe Substring Sum Take TakeWhile ThenBy ToArray ToChar ToDictionary ToList ToLower"
    " ToString ToUpper Trace Trim TrimEnd TrimStart TryAdd TryGetValue TryParse Union Update Validate Wait Warn"
    " Where Write WriteByte WriteLine Zip"
)
"""Methods that types of the standard library have: a call of one on what nothing is known about is no guess."""
GIVING_ARGUMENT = names(
    "GetService GetRequiredService GetKeyedService GetRequiredKeyedService GetInstance TryGetInstance Resolve"
    " ResolveKeyed ResolveNamed ResolveOptional CreateInstance GetExportedValue Deserialize DeserializeObject"
)
"""Generic methods outside that give an object of their type argument. Source: Microsoft Learn, "Dependency injection in
.NET", Activator, JsonSerializer; the documentation of Lamar, Simple Injector, Autofac, Castle Windsor, Unity, MEF and
Json.NET."""
