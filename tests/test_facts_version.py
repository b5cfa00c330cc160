"""Facts that changed have another `FACTS_VERSION`: stored facts of the same one are taken for those of now.

`--update` takes the facts of a version that was raised. Where two changes raised it to the same number, take the record
as it is on the branch that is merged into, raise the number again, and update.
"""

from __future__ import annotations

import pytest

from codemap.facts import FACTS_VERSION
from tests.facts_digest import RECORD, Record, facts_of, read, take, update, write
from tests.literate import Case

BEFORE = Record(4, {"aa": "01", "bb": "02"})


def test_the_version_changes_with_the_facts(request: pytest.FixtureRequest) -> None:
    recorded = read(RECORD.read_text(encoding="utf-8"))
    now = update(recorded, take(FACTS_VERSION))
    if request.config.getoption("update"):
        RECORD.write_text(write(now), encoding="utf-8")
    else:
        assert now == recorded, "run `pytest tests/test_facts_version.py --update`"


def test_facts_that_change_need_another_version() -> None:
    with pytest.raises(ValueError, match="facts of 1 cases"):
        update(BEFORE, Record(4, {"aa": "01", "bb": "03"}))
    raised = Record(5, {"aa": "01", "bb": "03"})
    assert update(BEFORE, raised) == raised


def test_a_version_does_not_fall() -> None:
    with pytest.raises(ValueError, match="was 4"):
        update(BEFORE, Record(3, BEFORE.facts))


def test_cases_that_come_and_go_change_no_record() -> None:
    assert update(BEFORE, Record(4, {"bb": "02", "cc": "03"})) is BEFORE


def test_two_changes_to_one_version_are_no_record() -> None:
    assert read(write(BEFORE)) == BEFORE
    first = write(Record(5, {"aa": "11", "bb": "02"})).splitlines()
    other = write(Record(5, {"aa": "01", "bb": "12"})).splitlines()
    assert first[0] != other[0]
    for head in (first[0], other[0]):
        with pytest.raises(ValueError, match="no one version"):
            read("\n".join((head, first[1], other[2], "")))


def test_facts_are_told_apart() -> None:
    one, other, renamed = (
        facts_of(Case("", {path: source}, ()))
        for path, source in (("a.py", b"x = 1\n"), ("a.py", b"x = 2\n"), ("b.py", b"x = 1\n"))
    )
    assert len({one[0], other[0], renamed[0]}) == 3
    assert one[1] != other[1]
