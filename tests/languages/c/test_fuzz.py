"""Bad source never raises, and keeps to its lines; a repaired spelling has the length of the source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from codemap.languages.c.repair import join
from codemap.languages.c.spelling.respelling import mend
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated

_SOURCE = b"""\
#ifndef A_H
#define A_H
#include "b.h"
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
/* A struct. */
typedef struct node { struct node *next; union { int i; float f; }; int (*call)(struct node *, int); } node_t, *node_p;
struct later;
enum color { RED, GREEN = RED + 1 };
#define MAX(a, b) \\
    ((a) > (b) ? (a) : other(b))
API int prototype OF((node_p at, ...));
static const node_t table[] = { [RED] = { .next = &first, .call = run }, { 0 } };
int old(a, b) int a; char *b; { return a; }
static int run(struct node *at, int n)
{
    struct node here = { .i = 1 }, *p = &here;
    for (int k = 0; k < n; k++)
        (*p->call)((node_t *)at, offsetof(struct node, next));
#if defined(FAST) && FAST > 1
    if (n) {
#else
    if (!n) {
#endif
        goto out;
    }
out:
    return MAX(n, (node_t){ .i = 2 }.i);
}
#ifdef __cplusplus
}
#endif
#endif
"""
_FRAGMENTS = [
    *(
        b"\0",
        b"\xff\xfe",
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\\\n",
        b"(",
        b")",
        b"{",
        b"}",
        b"[",
        b"]",
        b"*",
        b"'",
        b'"',
        b"/*",
    ),
    *(b"\n#if X\n", b"\n#else\n", b"\n#endif\n", b"\n#define F(", b"struct ", b"typedef ", b"enum {", b"= {", b"OF(("),
]


def _checked(path: str, source: bytes) -> None:
    facts = extract(path, source)
    check(facts, source)
    whole = [(0, len(source))]
    assert len(mend(source, whole)) == len(join(source, whole)) == len(source)


@settings(max_examples=examples(120))
@given(edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(edits: Edits, end: float) -> None:
    _checked("a.c", mutated(_SOURCE, edits, end))


def test_no_prefix_raises() -> None:
    for end in range(0, len(_SOURCE), 3):
        _checked("a.h", _SOURCE[:end])


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    _checked("a.c", source)


@pytest.mark.parametrize(
    "source", [b"(" * 5000, b"int f(void) {" * 500, b"#if X\n" * 2000, b"/*" * 5000, b"static {" * 50]
)
def test_deep_source_never_raises(source: bytes) -> None:
    _checked("a.c", source)
