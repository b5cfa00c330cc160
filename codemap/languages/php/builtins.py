"""What PHP brings with it: classes, and the methods that values of these have.

Source: the PHP Manual, "Predefined Interfaces and Classes", "Standard PHP Library", and its extensions of dates, data
objects, documents and reflection.
"""

from __future__ import annotations

SEPARATOR = "\\"
CONSTRUCTOR = "__construct"
ARRAY = "array"
"""The generic type of values that hold others."""
_CLASSES = (
    "AppendIterator ArgumentCountError ArithmeticError ArrayAccess ArrayIterator ArrayObject AssertionError Attribute"
    " AllowDynamicProperties BackedEnum BadFunctionCallException BadMethodCallException CachingIterator"
    " CallbackFilterIterator Closure Countable DateInterval DatePeriod DateTime DateTimeImmutable DateTimeInterface"
    " DateTimeZone Directory DirectoryIterator DivisionByZeroError DomainException DOMAttr DOMCdataSection"
    " DOMCharacterData DOMComment DOMDocument DOMDocumentFragment DOMDocumentType DOMElement DOMEntity DOMException"
    " DOMNamedNodeMap DOMNode DOMNodeList DOMText DOMXPath EmptyIterator Error ErrorException Exception Fiber"
    " FilesystemIterator FilterIterator Generator GlobIterator InfiniteIterator InvalidArgumentException Iterator"
    " IteratorAggregate IteratorIterator JsonException JsonSerializable LengthException LimitIterator LogicException"
    " MultipleIterator NoRewindIterator OuterIterator OutOfBoundsException OutOfRangeException OverflowException"
    " Override ParentIterator ParseError PDO PDOException PDOStatement RangeException RecursiveArrayIterator"
    " RecursiveCallbackFilterIterator RecursiveDirectoryIterator RecursiveFilterIterator RecursiveIterator"
    " RecursiveIteratorIterator RecursiveTreeIterator ReflectionClass ReflectionClassConstant ReflectionEnum"
    " ReflectionException ReflectionExtension ReflectionFunction ReflectionFunctionAbstract ReflectionGenerator"
    " ReflectionIntersectionType ReflectionMethod ReflectionNamedType ReflectionObject ReflectionParameter"
    " ReflectionProperty ReflectionType ReflectionUnionType Reflector RegexIterator ReturnTypeWillChange"
    " RuntimeException SeekableIterator SensitiveParameter Serializable SimpleXMLElement SimpleXMLIterator"
    " SplDoublyLinkedList SplFileInfo SplFileObject SplFixedArray SplHeap SplMaxHeap SplMinHeap SplObjectStorage"
    " SplObserver SplPriorityQueue SplQueue SplStack SplSubject SplTempFileObject stdClass Stringable Throwable"
    " Traversable TypeError UnderflowException UnexpectedValueException UnhandledMatchError UnitEnum ValueError WeakMap"
    " WeakReference XMLReader XMLWriter ZipArchive"
)
NAMES = frozenset(_CLASSES.split())
CLASSES = frozenset(name.lower() for name in NAMES)
"""Their names in lower case."""
_MEMBERS = (
    "getMessage getPrevious getCode getFile getLine getTrace getTraceAsString current key next rewind valid count"
    " offsetGet offsetSet offsetExists offsetUnset getIterator getInnerIterator format modify getTimestamp"
    " setTimestamp setTimezone getTimezone getOffset diff setDate setTime sub push pop shift unshift enqueue"
    " dequeue attach detach contains isEmpty top bottom insert extract toArray getArrayCopy append prepare execute"
    " fetch fetchAll fetchColumn bindValue bindParam query exec quote rowCount beginTransaction commit rollBack"
    " lastInsertId setAttribute getAttribute errorInfo errorCode closeCursor getElementsByTagName createElement"
    " createTextNode appendChild removeChild insertBefore cloneNode hasAttribute getAttributeNode saveXML saveHTML"
    " loadXML loadHTML xpath asXML children attributes addChild addAttribute getName getShortName"
    " getNamespaceName newInstance newInstanceArgs newInstanceWithoutConstructor getParameters getMethod getMethods"
    " getProperty getProperties getConstant getConstants getParentClass implementsInterface isSubclassOf isInstance"
    " isAbstract isInterface isInstantiable isInternal isPublic isPrivate isProtected isStatic invoke invokeArgs"
    " setAccessible getValue setValue getDocComment getDeclaringClass getReturnType getType allowsNull isBuiltin"
    " isDefaultValueAvailable getDefaultValue getAttributes getFilename getPathname getRealPath getExtension"
    " getBasename getPath getSize isFile isDir isReadable isWritable send throw getReturn bindTo call"
    " jsonSerialize serialize unserialize open close"
)
MEMBERS = frozenset(_MEMBERS.split())
"""Methods of such classes: a call of one on an unknown receiver is never guessed."""
