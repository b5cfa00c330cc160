"""The walk over a source finds what it imports, calls, compares and catches, and what it leaves mutable."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sources import Source, read

TEXT = '''"""Says."""
import a.b
from c import d, e
SHARED = [1]
ALSO: object = dict(x=1)
FIXED = (1,)
def f(kind):
    from g import h
    try:
        return print(kind == "py", h.eval())
    except (ValueError, o.OSError, BaseException):
        pass
    except:
        pass
'''


def test_a_source(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    found = read(tmp_path / "a.py")
    assert found == Source(
        doc="Says.",
        lines=14,
        imports=(("a.b", ()), ("c", ("d", "e")), ("g", ("h",))),
        called=frozenset({"dict", "print"}),
        compared=((10, frozenset({"py"})),),
        caught=frozenset({"ValueError", "o", "BaseException"}),
        catches_all=True,
        mutable=(4, 5),
    )
    assert found.imported == {"a.b", "c", "c.d", "c.e", "g", "g.h"}


def test_relative_imports_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from . import b\n")
    with pytest.raises(AssertionError, match="absolute"):
        read(tmp_path / "a.py")
