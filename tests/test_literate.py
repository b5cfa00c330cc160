"""Runs every case of the literate documents; `--update` rewrites what they expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import coverage, literate

_TESTS = Path(__file__).parent
_CASES = [
    pytest.param(path, case, id=f"{path.relative_to(_TESTS).as_posix()}::{case.title}")
    for path in literate.documents()
    for case in literate.cases(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("path", "case"), _CASES)
def test_case(path: Path, case: literate.Case, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("update"):
        literate.rewrite(path, case.title)
        return
    text = path.read_text(encoding="utf-8")
    for table in case.tables:
        expected, actual = literate.expected(text, table), literate.actual(case, table)
        if table.name == "edges":
            expected = sorted(expected)
        assert "\n".join(actual) == "\n".join(expected)


def test_every_language_has_cases() -> None:
    documented = {path.parent.name for path in literate.documents()}
    assert [language.title for folder, language in coverage.folders() if folder not in documented] == []


DOCUMENT = """\
# A chapter

## First

```py a.py
x = 1
```

```symbols
py:a.py#x  variable  1:1  1-1  exported  | x = 1
```

## Second

````md notes.md
```symbols
```
````

```imports
```
"""


def test_document_is_read_as_cases() -> None:
    first, second = literate.cases(DOCUMENT)
    assert (first.title, first.files) == ("First", {"a.py": b"x = 1\n"})
    assert literate.expected(DOCUMENT, first.tables[0]) == literate.actual(first, first.tables[0])
    assert (second.title, list(second.files)) == ("Second", ["notes.md"])
    assert literate.expected(DOCUMENT, second.tables[0]) == []


def test_wrong_table_differs() -> None:
    wrong = DOCUMENT.replace("variable", "function")
    first, _ = literate.cases(wrong)
    assert literate.expected(wrong, first.tables[0]) != literate.actual(first, first.tables[0])


def test_update_rewrites_only_the_tables(tmp_path: Path) -> None:
    path = tmp_path / "case.md"
    path.write_text(DOCUMENT.replace("variable", "function").replace("exported", ""), encoding="utf-8")
    literate.rewrite(path, "First")
    assert path.read_text(encoding="utf-8") == DOCUMENT


def test_unclosed_fence_is_an_error() -> None:
    with pytest.raises(ValueError, match="not closed"):
        list(literate.cases("# A\n```py a.py\n"))


def test_two_cases_of_one_title_are_an_error() -> None:
    case = "# A\n```symbols\n```\n"
    with pytest.raises(ValueError, match="two cases"):
        list(literate.cases(case + case))
