"""Persistent lists and maps say what plain ones say, and copy no more than they must."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codemap.persistent import PersistentList, PersistentMap

LENGTHS = st.sampled_from((0, 1, 255, 256, 257, 600))
KEYS = st.integers(0, 700)


@given(length=LENGTHS, changes=st.lists(st.dictionaries(st.integers(0, 599), st.integers()), max_size=3))
def test_a_list_with_other_items_is_what_a_plain_one_is(length: int, changes: list[dict[int, int]]) -> None:
    plain = [-place for place in range(length)]
    made = PersistentList(plain)
    for change in changes:
        fitting = {place: item for place, item in change.items() if place < length}
        before, made = made, made.replaced(fitting)
        assert list(before) == plain
        plain = [fitting.get(place, item) for place, item in enumerate(plain)]
        assert list(made) == plain == [made[place] for place in range(length)]
        assert set(made.differing(before)) <= fitting.keys()
    assert len(made) == length
    assert list(made[1:300:7]) == plain[1:300:7]
    assert [made[place] for place in range(-length, 0)] == plain


@given(
    first=st.dictionaries(KEYS, st.integers(), max_size=400),
    changes=st.lists(
        st.tuples(st.dictionaries(KEYS, st.integers(), max_size=9), st.sets(KEYS, max_size=9)), max_size=4
    ),
)
def test_an_updated_map_is_what_a_plain_one_is(
    first: dict[int, int], changes: list[tuple[dict[int, int], set[int]]]
) -> None:
    plain, made = dict(first), PersistentMap(first)
    for items, without in changes:
        without -= items.keys()
        before, old = made, dict(plain)
        made = made.updated(items, without)
        plain.update(items)
        for key in without:
            plain.pop(key, None)
        assert list(made.items()) == list(plain.items())
        assert dict(before) == old
        assert made.has_keys_of(before) == (plain.keys() == old.keys())
        other = {key for key, item in plain.items() if key not in old or old[key] != item}
        assert other <= set(made.differing(before)) <= other | items.keys()
        assert list(made.in_order) == list(plain.values())
        some = [*without, *items, *old][:50]
        assert [(key in made, made.get(key), made.get(key, "none")) for key in some] == [
            (key in plain, plain.get(key), plain.get(key, "none")) for key in some
        ]


def test_what_did_not_change_is_shared() -> None:
    items = [object() for _ in range(10_000)]
    before = PersistentList(items)
    after = before.replaced({5_000: object()})
    assert sum(left is not right for left, right in zip(before._blocks, after._blocks, strict=True)) == 1
    assert list(after.differing(before)) == [5_000]


def test_keys_that_stay_are_shared() -> None:
    before = PersistentMap({str(key): key for key in range(1_000)})
    for items in ({"7": 8}, dict.fromkeys(before, 0)):
        assert before.updated(items, {"none"})._places is before._places


def test_other_items_under_the_same_keys() -> None:
    before = PersistentMap({"a": 1, "b": 2})
    after = before.holding(PersistentList([3, 4]))
    assert dict(after) == {"a": 3, "b": 4}
    assert dict(before) == {"a": 1, "b": 2}
    assert after.has_keys_of(before)
    assert PersistentMap({"a": 5, "b": 6}).has_keys_of(before), "though it was not made from it"
    assert not PersistentMap({"a": 5}).has_keys_of(before)
