"""What Python brings with it: names bound in every file, and the standard generic types.

Source: the `builtins` module of Python 3.9 to 3.14; `typing`, `collections.abc` and `contextlib` of the same versions.
"""

from __future__ import annotations

from codemap.languages.containers import Container

_NAMES = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError
ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError
SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError
UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning WindowsError
ZeroDivisionError __build_class__ __builtins__ __class__ __debug__ __dict__ __doc__ __file__ __import__ __loader__
__name__ __package__ __path__ __spec__ _IncompleteInputError abs aiter all anext any ascii bin bool breakpoint
bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate eval
exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass
iter len license list locals map max memoryview min next object oct open ord pow print property quit range repr
reversed reveal_locals reveal_type round set setattr slice sorted staticmethod str sum super tuple type vars zip
"""
BUILTINS = frozenset(_NAMES.split())

_ONE = Container(element=0, value=0)
_MAPPING = Container(element=0, value=1)
_KEYS = Container(element=0, value=-1)
_HELD = Container(element=-1, value=0)
_RESULT = Container(element=-1, value=-1, result=0)

_COLLECTIONS = """
list List set Set frozenset FrozenSet deque Deque Sequence MutableSequence Collection Iterable Iterator Reversible
AbstractSet MutableSet AsyncIterable AsyncIterator Container KeysView ValuesView tuple Tuple AsyncGenerator
UserList
"""
_MAPPINGS = "dict Dict Mapping MutableMapping DefaultDict defaultdict OrderedDict ChainMap ItemsView UserDict"
_HOLDERS = "ContextVar Queue LifoQueue PriorityQueue SimpleQueue JoinableQueue"
_RESULTS = """
ref ReferenceType WeakMethod Awaitable Future Task ContextManager AsyncContextManager AbstractContextManager
AbstractAsyncContextManager
"""
CONTAINERS = {
    **dict.fromkeys(_COLLECTIONS.split(), _ONE),
    **dict.fromkeys(_MAPPINGS.split(), _MAPPING),
    **dict.fromkeys(_RESULTS.split(), _RESULT),
    **dict.fromkeys(_HOLDERS.split(), _HELD),
    "Counter": _KEYS,
    "Callable": Container(element=-1, value=-1, result=1),
    "Coroutine": Container(element=-1, value=-1, result=2),
    "Generator": Container(element=0, value=0, result=2),
}
CONTAINER_METHODS = {
    "__getitem__": "value",
    "__iter__": "elements",
    "__next__": "element",
    "copy": "self",
    "get": "value",
    "get_nowait": "value",
    "items": "items",
    "keys": "elements",
    "pop": "value",
    "popleft": "element",
    "result": "result",
    "put": "outside",
    "put_nowait": "outside",
    "reset": "outside",
    "send": "element",
    "set": "outside",
    "setdefault": "value",
    "values": "values",
}

CONTAINER_STORES = {"add": 0, "append": 0, "appendleft": 0, "insert": 1, "put": 0, "put_nowait": 0}

_WRAPPERS = "Optional Final ClassVar Annotated Required NotRequired ReadOnly InitVar"
TRANSPARENT = {**dict.fromkeys(_WRAPPERS.split(), 0), "Union": -1}

OPAQUE_TYPES = frozenset({"Any", "Callable", "object"})
_OPEN = """
threading.local types.SimpleNamespace argparse.Namespace typing.Any typing_extensions.Any __import__ eval getattr
"""
OPEN_TYPES = frozenset(_OPEN.split())
"""Types whose members nobody states, and builtin functions that may give anything."""
TYPE_OF = frozenset({"type", "Type"})
SELF_TYPES = frozenset({"Self"})
_FORWARDERS = """
partial partialmethod staticmethod classmethod functools.update_wrapper functools.cache copy.copy copy.deepcopy
copy.replace dataclasses.replace attr.evolve attrs.evolve
"""
FORWARDERS = frozenset(_FORWARDERS.split())
HELD_ERRORS = {"raises": "value", "assertRaises": "exception", "assertRaisesRegex": "exception"}
"""Of pytest and unittest."""
_BUILTIN_TYPES = (str, bytes, bytearray, int, float, list, tuple, dict, set, frozenset, memoryview, BaseException)
_FILE_MEMBERS = (
    "close",
    "detach",
    "fileno",
    "flush",
    "isatty",
    "read",
    "readable",
    "readline",
    "readlines",
    "seek",
    "seekable",
    "tell",
    "truncate",
    "writable",
    "write",
    "writelines",
)
PLAIN_TYPES = frozenset(cls.__name__ for cls in _BUILTIN_TYPES)
BUILTIN_MEMBERS = frozenset(_FILE_MEMBERS).union(*map(dir, _BUILTIN_TYPES))
_PUBLIC = """
_align_ _anonymous_ _as_parameter_ _asdict _attributes _exit _field_defaults _field_types _fields _fields_
_generate_next_value_ _get_args _get_kwargs _getframe _handle _ignore_ _length_ _make _missing_ _name _name_ _objects
_order_ _pack_ _replace _type_ _value_
"""
PUBLIC_NAMES = frozenset(_PUBLIC.split())
"""Of collections.namedtuple, ctypes, enum, ast, argparse, os and sys."""
_ACCESS = """
getattr setattr hasattr delattr __getattribute__ __getattr__ __setattr__ __delattr__ attrgetter methodcaller __dict__
vars dir
"""
MEMBER_ACCESS = frozenset(_ACCESS.split())
CASTS = {"cast": 0, "assert_type": 1, "TypeVar": 0}

PROTOCOLS = {
    "iter": "__iter__",
    "async_iter": "__aiter__",
    "next": "__next__",
    "async_next": "__anext__",
    "enter": "__enter__",
    "async_enter": "__aenter__",
    "await": "__await__",
    "index": "__getitem__",
    "item": "__getitem__",
    "call": "__call__",
    "get": "__get__",
}
REPEATS = {"__iter__": "next", "__aiter__": "async_next"}
ELEMENTWISE = frozenset({"__eq__", "__ge__", "__gt__", "__hash__", "__le__", "__lt__", "__repr__"})

_TYPING = ("typing", "typing_extensions")
MEMBERLESS = frozenset(
    (("", "object"), ("abc", "ABC"), *((module, name) for module in _TYPING for name in ("Generic", "Protocol")))
)
"""Bases that give a class nothing by a name of its own; what every object has runs without being named."""
