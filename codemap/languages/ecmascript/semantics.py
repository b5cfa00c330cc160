"""What the graph needs to know of both languages' semantics."""

from __future__ import annotations

from collections.abc import Mapping

from codemap.languages.containers import Container

CONSTRUCTORS = ("constructor",)
THIS_TYPE, TYPEOF = "this", "typeof"
"""What types are called that no name stands for."""
CAST = "as"
"""What is called in the place of `x as T`, with the type first."""
ITERATOR, ASYNC_ITERATOR = "[Symbol.iterator]", "[Symbol.asyncIterator]"
PROTOCOLS: Mapping[str, str] = {
    "iter": ITERATOR,
    "async_iter": ASYNC_ITERATOR,
    "next": "next",
    "call": "()",
}
_PROMISE = Container(element=-1, value=-1, result=0)
_SEQUENCE = Container(element=0, value=0)
CONTAINERS: Mapping[str, Container] = {
    "Array": _SEQUENCE,
    "ReadonlyArray": _SEQUENCE,
    "ArrayLike": _SEQUENCE,
    "Set": _SEQUENCE,
    "ReadonlySet": _SEQUENCE,
    "WeakSet": _SEQUENCE,
    "Iterable": _SEQUENCE,
    "Iterator": _SEQUENCE,
    "IterableIterator": _SEQUENCE,
    "AsyncIterable": _SEQUENCE,
    "AsyncIterator": _SEQUENCE,
    "AsyncIterableIterator": _SEQUENCE,
    "Generator": Container(element=0, value=0, result=1),
    "AsyncGenerator": Container(element=0, value=0, result=1),
    "Map": Container(element=0, value=1),
    "ReadonlyMap": Container(element=0, value=1),
    "WeakMap": Container(element=0, value=1),
    "Record": Container(element=0, value=1),
    "Promise": _PROMISE,
    "PromiseLike": _PROMISE,
    "WeakRef": _PROMISE,
}
TRANSPARENT: Mapping[str, int] = {
    "Awaited": 0,
    "Exclude": 0,
    "Extract": 0,
    "NonNullable": 0,
    "NoInfer": 0,
    "Omit": 0,
    "Partial": 0,
    "Pick": 0,
    "Readonly": 0,
    "Required": 0,
    "ThisType": 0,
}
CONTAINER_METHODS: Mapping[str, str] = {
    "at": "element",
    "find": "element",
    "findLast": "element",
    "pop": "element",
    "shift": "element",
    "reduce": "element",
    "get": "value",
    "deref": "result",
    "map": "mapped",
    "concat": "self",
    "copyWithin": "self",
    "fill": "self",
    "filter": "self",
    "reverse": "self",
    "slice": "self",
    "sort": "self",
    "splice": "self",
    "toReversed": "self",
    "toSorted": "self",
    "toSpliced": "self",
    "with": "self",
    "add": "self",
    "set": "self",
    "catch": "self",
    "finally": "self",
    "keys": "elements",
    "values": "values",
    "entries": "items",
}
BUILTIN_MEMBERS = frozenset(
    """
    add all allSettled any anchor apply at bind call catch charAt charCodeAt clear codePointAt concat copyWithin
    delete endsWith entries every exec fill filter finally find findIndex findLast findLastIndex flat flatMap
    forEach from get getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds getTime
    has hasOwnProperty includes indexOf isPrototypeOf join keys lastIndexOf localeCompare map match matchAll
    next normalize of padEnd padStart pop propertyIsEnumerable push race reduce reduceRight repeat replace
    replaceAll resolve return reverse search set shift slice some sort splice split startsWith subarray substr
    substring test then throw toExponential toFixed toISOString toJSON toLocaleString toLowerCase toPrecision
    toReversed toSorted toSpliced toString toUpperCase trim trimEnd trimStart union unshift values valueOf with
    addEventListener removeEventListener dispatchEvent emit on once off close end destroy pipe write read
    """.split()  # noqa: SIM905 - a list this long reads as text
)
"""Methods of the builtin types and of Node's emitters and streams."""
INHERITED_MEMBERS = frozenset(
    """
    apply bind call constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
    addListener emit eventNames listenerCount listeners off on once prependListener rawListeners removeAllListeners
    removeListener setMaxListeners addEventListener dispatchEvent removeEventListener
    close cork destroy destroyed end pause pipe push read readable readableEnded resume setEncoding uncork unpipe
    unshift writable writableEnded write
    message name stack
    """.split()  # noqa: SIM905 - a list this long reads as text
)
"""What functions, objects, emitters, streams and errors have."""

FORWARDERS = frozenset(
    {"memo", "forwardRef", "useCallback", "observer", "debounce", "throttle", "once", "memoize", "cache", "bind"}
    | {".Object.freeze", ".Object.seal"}
)
CONTAINER_STORES: Mapping[str, int] = {"push": 0, "unshift": 0, "add": 0, "set": 1}
CONTAINER_CALLBACKS: Mapping[str, str] = {
    "every": "element",
    "filter": "element",
    "find": "element",
    "findIndex": "element",
    "findLast": "element",
    "findLastIndex": "element",
    "flatMap": "element",
    "forEach": "value",
    "map": "element",
    "some": "element",
    "then": "result",
}
