"""The rules of name resolution: what names, attributes, calls, operators and types mean.

Invariants:
- No rule names a language: what differs is a field of its `Language` record.
- A rule asks the evaluator for what an expression denotes, what reading it gives and what a type admits.
- Rules import one another one way. The only circle is `calls`, `protocols` and `type_arguments`: a call may run a
  method of a protocol, which is called, and both need the type parameters that the arguments of a call determine.
- A chain of steps is as sure as its weakest. Nothing known (`NOTHING`) is not the same as known to lie outside.
"""
