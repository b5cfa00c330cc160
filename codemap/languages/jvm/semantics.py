"""Generic types of the standard libraries whose values hold others, and what their methods give.

Source: the documentation of the packages java.util, java.util.function, java.util.stream and kotlin.collections.
"""

from __future__ import annotations

from codemap.languages.containers import Container


def names(text: str) -> frozenset[str]:
    """The names in a text, which white space parts."""
    return frozenset(text.split())


CONSTRUCTOR = "<init>"
ARRAY = "[]"
"""The name of the type of arrays, which no file can define."""
_NUMBERS = ("byte", "short", "int", "long", "float", "double")
BOXES = {
    "byte": "Byte",
    "short": "Short",
    "int": "Integer",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "char": "Character",
    "boolean": "Boolean",
}
UNBOXED = frozenset(BOXES)
_ABOVE = ("Comparable", "Serializable", "Object")
CONVERTS: dict[str, tuple[str, ...]] = {
    **{name: (*_NUMBERS[at + 1 :], BOXES[name], "Number", *_ABOVE) for at, name in enumerate(_NUMBERS)},
    **{BOXES[name]: (*_NUMBERS[at:], "Number", *_ABOVE) for at, name in enumerate(_NUMBERS)},
    "char": (*_NUMBERS[2:], "Character", *_ABOVE),
    "Character": ("char", *_NUMBERS[2:], *_ABOVE),
    "boolean": ("Boolean", *_ABOVE),
    "Boolean": ("boolean", *_ABOVE),
    "String": ("CharSequence", *_ABOVE),
    "Class": ("GenericDeclaration", "AnnotatedElement", "Type", *_ABOVE[1:]),
    ARRAY: ("Cloneable", *_ABOVE[1:]),
}
"""Source: The Java Language Specification, "Conversions and Contexts"; these types are final."""
_JAVA_ABOVE = {
    "StringBuilder StringBuffer": "Appendable CharSequence",
    "StringWriter BufferedWriter FileWriter OutputStreamWriter PrintWriter": "Writer Appendable Closeable Flushable",
    "Writer": "Appendable Closeable Flushable",
    "PrintStream": "FilterOutputStream OutputStream Appendable Closeable Flushable",
    "ByteArrayOutputStream FileOutputStream BufferedOutputStream": "OutputStream Closeable Flushable",
    "OutputStream": "Closeable Flushable",
    "StringReader BufferedReader FileReader InputStreamReader": "Reader Readable Closeable",
    "Reader": "Readable Closeable",
    "ByteArrayInputStream FileInputStream BufferedInputStream": "InputStream Closeable",
    "InputStream": "Closeable",
    "ArrayList LinkedList CopyOnWriteArrayList Vector": "AbstractList AbstractCollection List Collection Iterable",
    "List": "Collection Iterable",
    "HashSet LinkedHashSet TreeSet EnumSet": "AbstractSet AbstractCollection Set Collection Iterable",
    "Set Queue Deque": "Collection Iterable",
    "Collection": "Iterable",
    "HashMap LinkedHashMap TreeMap EnumMap ConcurrentHashMap": "AbstractMap Map",
    "BigInteger BigDecimal AtomicInteger AtomicLong": "Number",
    "File Path URI Date Locale UUID": "",
    "Appendable Map Type CharSequence Number Iterable": "",
}
JAVA_ABOVE: dict[str, tuple[str, ...]] = {
    name: (*above.split(), *_ABOVE) for listed, above in _JAVA_ABOVE.items() for name in listed.split()
}
"""Source: the documentation of the packages java.lang, java.io, java.math and java.util."""
_ONE = Container(element=0, value=0)
_HELD = Container(element=-1, value=0)
_PAIRS = Container(element=0, value=1)
_TAKEN = Container(element=0, value=-1)
_CONSUMERS = names("Consumer Predicate ToIntFunction ToLongFunction ToDoubleFunction")

CLOSED_CONTAINERS = frozenset({"Class", "KClass"})
CONTAINERS = {
    ARRAY: _ONE,
    **dict.fromkeys(
        names(
            "Array ArrayDeque ArrayList BlockingDeque BlockingQueue Collection ConcurrentLinkedDeque"
            " ConcurrentLinkedQueue CopyOnWriteArrayList CopyOnWriteArraySet Deque EnumSet Enumeration Flow HashSet"
            " Iterable Iterator LinkedBlockingQueue LinkedHashSet LinkedList List ListIterator MutableCollection"
            " MutableIterable MutableList MutableSet NavigableSet PriorityQueue Queue Sequence SequencedCollection Set"
            " SortedSet Spliterator Stack Stream TreeSet Vector"
        ),
        _ONE,
    ),
    **dict.fromkeys(
        names(
            "AtomicReference CompletableFuture CompletionStage Future Lazy Optional Provider SoftReference Supplier"
            " ThreadLocal WeakReference Deferred StateFlow MutableStateFlow"
        ),
        _HELD,
    ),
    **dict.fromkeys(
        names(
            "ConcurrentHashMap ConcurrentMap EnumMap Entry HashMap Hashtable IdentityHashMap LinkedHashMap Map"
            " MutableMap NavigableMap SortedMap TreeMap WeakHashMap"
        ),
        _PAIRS,
    ),
    **dict.fromkeys(CLOSED_CONTAINERS, _HELD),
    "Callable": Container(element=-1, value=-1, result=0),
    **dict.fromkeys(_CONSUMERS, _TAKEN),
    **dict.fromkeys(names("BiConsumer BiPredicate"), _PAIRS),
    "Comparator": Container(element=0, value=0),
    "Function": Container(element=0, value=-1, result=1),
    "BiFunction": Container(element=0, value=1, result=2),
    "UnaryOperator": Container(element=0, value=-1, result=0),
    "BinaryOperator": Container(element=0, value=0, result=0),
}
FUNCTION_TYPES = {
    **dict.fromkeys((*_CONSUMERS, "Function", "UnaryOperator"), 1),
    **dict.fromkeys(names("BiConsumer BiPredicate BiFunction BinaryOperator Comparator"), 2),
}
"""Source: the documentation of the package java.util.function."""
CONTAINER_METHODS = {
    **dict.fromkeys(
        names(
            "element elementAt first getFirst getLast getKey last next nextElement peekFirst peekLast poll pollFirst"
            " pollLast pop previous removeFirst removeLast single take"
            " firstOrNull lastOrNull singleOrNull find findLast random maxByOrNull minByOrNull key"
        ),
        "element",
    ),
    **dict.fromkeys(
        names(
            "get getAcquire getAndSet getNow getOrDefault getValue join orElse orElseGet orElseThrow putIfAbsent"
            " computeIfAbsent computeIfPresent await getOrNull getOrElse getOrPut getCompleted value cast newInstance"
        ),
        "value",
    ),
    **dict.fromkeys(names("apply call"), "result"),
    **dict.fromkeys(
        names(
            "distinct dropWhile filter limit onEach parallel peek reversed sequential skip sorted subList takeWhile"
            " drop take filterNot filterNotNull sortedBy sortedByDescending shuffled toSortedSet also"
            " whenComplete exceptionally orTimeout"
        ),
        "self",
    ),
    **dict.fromkeys(
        names(
            "asList asSequence asIterable descendingIterator descendingSet findAny findFirst iterator keySet keys"
            " listIterator parallelStream stream toArray toList toMutableList toMutableSet toSet toTypedArray"
        ),
        "elements",
    ),
    "values": "values",
    "entrySet": "items",
}
CONTAINER_CALLBACKS = {
    **dict.fromkeys(
        names(
            "forEach map flatMap filter anyMatch allMatch noneMatch removeIf mapToInt mapToLong mapToDouble mapToObj"
            " peek takeWhile dropWhile any all none find first last single count sumOf associateBy groupBy sortedBy"
            " mapNotNull onEach firstOrNull lastOrNull filterNot partition maxByOrNull minByOrNull associateWith"
            " forEachOrdered forEachRemaining also"
        ),
        "element",
    ),
    **dict.fromkeys(names("ifPresent ifPresentOrElse thenAccept thenApply thenCompose"), "value"),
}
BUILTIN_MEMBERS = names(
    "accept add addAll addFirst addLast all and andThen any append apply asList build call cancel charAt clear"
    " clone close collect compare compareTo complete compute computeIfAbsent contains containsKey containsValue"
    " copy count createNewFile debug delete distinct element emit entrySet equals error execute exists filter"
    " find first flatMap flush forEach format get getBytes getCause getClass getFirst getId getKey getLast"
    " getMessage getName getOrDefault getPath getValue handle hasNext hashCode ifPresent indexOf info init invoke"
    " isEmpty isPresent iterator join keySet last length let limit listIterator load lock log main map match"
    " matches max merge min name next notify of offer open or orElse orElseGet orElseThrow ordinal parse peek"
    " poll pop print printf println process push put putAll putIfAbsent read readLine receive reduce remove"
    " removeAll removeIf replace reset resolve retainAll reverse run send set setName setValue shutdown size skip"
    " sleep sort sorted split start startsWith stop stream stripTrailing submit subList substring sum take test"
    " toArray toList toLowerCase toSet toString toUpperCase trace trim unlock update use validate value valueOf"
    " values wait warn with write zip"
)
"""Methods that types of the standard library have: a call of one on what nothing is known about is no guess."""
