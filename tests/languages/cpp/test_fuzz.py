"""Bad source never raises, and keeps to its lines; a repaired spelling has the length of the source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from codemap.languages.cpp.repair import repair
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated

_SOURCE = b"""\
#ifndef A_H
#define A_H
#include <vector>
namespace a { namespace b::c {
/** A class. */
class API Foo : public Base<int>, private ns::Other {
public:
    Foo(int x) : x_(x), Base(1) {}
    virtual ~Foo() override;
    virtual void run(const Bar &b) const = 0;
    Foo &operator=(const Foo &o);
    operator bool() const;
    template <class T> T get(T t) { return this->x_; }
    using Value = int;
    enum class Kind { A, B = 2 };
    struct { int q; } in;
    friend class Zed;
private:
    int x_ = 3; std::unique_ptr<Bar> bar_;
};
template <> class Box<int> {};
Foo::~Foo() = default;
void Foo::run(const Bar &b) const {
    auto f = new Foo(1); f->run(b); Foo g(2);
    std::vector<Foo> v; for (auto &e : v) e.run(b);
    auto l = [&, this](int q) { return ns::call<int>(q); };
    try { throw Foo(1); } catch (const Err &e) { e.what(); }
    static_cast<Foo *>(p)->run(b); auto m = std::make_shared<Foo>(1);
}
}}
using namespace a::b;
using a::b::c::Foo;
namespace fs = std::filesystem;
TEST(Suite, Name) { run(); }
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
    assert len(repair(source)) == len(source)


@settings(max_examples=examples(120))
@given(edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(edits: Edits, end: float) -> None:
    _checked("a.cpp", mutated(_SOURCE, edits, end))


def test_no_prefix_raises() -> None:
    for end in range(0, len(_SOURCE), 3):
        _checked("a.hpp", _SOURCE[:end])


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    _checked("a.cpp", source)


@pytest.mark.parametrize("source", [b"(" * 5000, b"int f(void) {" * 500, b"#if X\n" * 2000, b"/*" * 5000])
def test_deep_source_never_raises(source: bytes) -> None:
    _checked("a.cpp", source)
