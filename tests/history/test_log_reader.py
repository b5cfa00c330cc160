"""Commits that come as a whole and those that come in pieces are read alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codemap.history.log_reader import BadLog, LogReader

TOKEN = "k3jh4k5jh34k5jh3"
ID = b"a1" * 20
_RAW = b":%b %b " + b"0" * 40 + b" " + b"1" * 40 + b" %b\0"
_MODES = st.sampled_from([(b"100644", b"100644"), (b"000000", b"100644"), (b"100644", b"000000"), (b"160000",) * 2])
_PATHS = st.sampled_from([b"a.py", b"b c.py", b"new\nline", b"\xff", b":100644", b"\n@@ -1 +1 @@"])
_HUNKS = st.sampled_from([b"@@ -1 +1 @@\n-a\n+b\n", b"@@ -0,0 +1,2 @@\n+x\n+\n", b"@@ -5,3 +4,0 @@ f\n-a\n-b\n-c\n"])
_BODIES = st.lists(_HUNKS, max_size=3).map(b"".join) | st.sampled_from(
    [b"Binary files a and b differ\n", b"old mode\n"]
)


@st.composite
def commits(draw: st.DrawFn) -> bytes:
    parents = draw(st.sampled_from([b"", ID, ID + b" " + ID]))
    fields = (
        ID,
        parents,
        draw(st.sampled_from([b"Ada", b"\xe9"])),
        b"a@b",
        b"12",
        draw(st.sampled_from([b"", b"x\ny"])),
    )
    raws, patches = b"", b""
    for _ in range(draw(st.integers(0, 3))):
        status = draw(st.sampled_from([b"M", b"A", b"R090", b"T", b"C100"]))
        raws += _RAW % (*draw(_MODES), status) + draw(_PATHS) + b"\0"
        raws += draw(_PATHS) + b"\0" if status[:1] in b"RC" else b""
        for _ in range(1 + (status == b"T")):
            patches += b"diff --git a/x b/x\n" + draw(_BODIES)
    has_patches = patches and (b" " not in parents) and draw(st.integers(0, 5))
    text = b"\0" + b"\0".join(fields) + b"\0\n" + raws + (b"\0" + patches if has_patches else b"")
    return TOKEN.encode() + text


@given(st.lists(commits(), min_size=1, max_size=4), st.integers(1, 40))
def test_however_it_is_cut(texts: list[bytes], size: int) -> None:
    text = b"".join(texts) + TOKEN.encode()

    def read(size: int) -> object:
        reader = LogReader(TOKEN)
        found = []
        try:
            for at in range(0, len(text), size):
                found += reader.feed(text[at : at + size])
        except BadLog as error:
            return str(error)
        return found

    assert read(size) == read(len(text))
