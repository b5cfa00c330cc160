"""Names of java.lang that programs do not declare anew; its others (`Record`, `Module`, …) mean what a package says
first.

Source: the documentation of the package java.lang.
"""

from __future__ import annotations

from codemap.languages.jvm.semantics import ARRAY, names

BUILTINS = frozenset({ARRAY}) | names(
    "ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean Byte"
    " CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException Cloneable"
    " CloneNotSupportedException Comparable Deprecated Double Enum Error Exception Float FunctionalInterface"
    " IllegalAccessException IllegalArgumentException IllegalStateException IndexOutOfBoundsException"
    " InstantiationException Integer InterruptedException Iterable LinkageError Long Math"
    " NegativeArraySizeException NoClassDefFoundError NoSuchFieldException NoSuchMethodException"
    " NullPointerException Number NumberFormatException Object OutOfMemoryError Override ProcessBuilder Runnable"
    " RuntimeException SafeVarargs SecurityException Short StackOverflowError StackTraceElement String"
    " StringBuffer StringBuilder SuppressWarnings System Thread ThreadLocal Throwable"
    " UnsupportedOperationException Void"
)
IN_EVERY_CLASS = names(
    "clone equals finalize getClass hashCode notify notifyAll toString wait"
    " compareTo describeConstable getDeclaringClass name ordinal valueOf values"
)
"""Methods of java.lang.Object, and those that enums have."""
