"""Types of the standard library whose values hold others, and what their methods give.

What a pointer of one owner holds is reached through it, so `Box<T>` is T. A map's element is a pair of key and value.

Source: the documentation of the crates `core`, `alloc` and `std`.
"""

from __future__ import annotations

from codemap.languages.containers import Container
from codemap.languages.rust.builtins import RESULT, SLICE, names

_ONE = Container(element=0, value=0)
_RESULT = Container(element=0, value=1)
MAPS = names("HashMap BTreeMap IndexMap")
CONTAINERS = {
    SLICE: _ONE,
    RESULT: _RESULT,
    "Result": _RESULT,
    **dict.fromkeys(MAPS, Container(element=0, value=1)),
    **dict.fromkeys(
        names(
            "Vec VecDeque Option HashSet BTreeSet BinaryHeap LinkedList Iter IntoIter Peekable Iterator IntoIterator"
            " DoubleEndedIterator ExactSizeIterator Stream Cell RefCell Mutex RwLock OnceCell OnceLock Lazy LazyLock"
            " LocalKey Poll Weak ManuallyDrop MaybeUninit SmallVec ArrayVec IndexSet"
        ),
        _ONE,
    ),
}
TRANSPARENT = {
    **dict.fromkeys(names("Box Rc Arc Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard NonNull Wrapping"), 0),
    "Cow": 0,
}
ITEM_TRAITS = names("Iterator IntoIterator DoubleEndedIterator ExactSizeIterator Stream")
"""Traits whose values hold what they name as `Item`."""
_TRAITS = """
AsRef AsMut Into TryInto Borrow BorrowMut ToOwned ToString Display Debug Clone Copy Default Hash Eq Ord PartialEq
PartialOrd Send Sync Sized Unpin Any Deref DerefMut FromStr Iterator IntoIterator Extend FromIterator Read Write
BufRead Seek Serialize Deserialize DeserializeOwned
"""
HANDED_ON = {
    "Vec": (SLICE,),
    "String": ("str",),
    "PathBuf": ("Path",),
    "OsString": ("OsStr",),
    "CString": ("CStr",),
    "*": tuple(_TRAITS.split()),
}
"""What values are that a reference to one of these is handed on as; traits that a value of any type may have."""
WRAPPERS = names("Box Rc Arc Pin")
"""Types whose `new` gives what it is given."""
HOLDERS = names("Some Ok Cell RefCell Mutex RwLock OnceCell")
"""What makes a container of one value: a variant, or a type by its `new`."""
CONTAINER_METHODS = {
    **dict.fromkeys(
        names(
            "unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_unchecked into_inner borrow borrow_mut"
            " get_or_insert_with get_or_init get_unchecked get_unchecked_mut assume_init assume_init_ref"
            " get_or_insert insert_entry swap_remove"
        ),
        "element",
    ),
    **dict.fromkeys(names("unwrap_err expect_err"), "value"),
    **dict.fromkeys(
        names(
            "iter iter_mut into_iter as_ref as_mut as_deref as_deref_mut cloned copied clone rev skip take_while"
            " skip_while step_by filter chain peekable fuse drain as_slice as_mut_slice to_vec inspect cycle"
            " or or_else map_err take ok_or ok_or_else into_boxed_slice into_vec to_owned sorted split_off"
            " replace with_context context"
        ),
        "self",
    ),
    **dict.fromkeys(
        names(
            "first last first_mut last_mut next next_back nth min max min_by max_by min_by_key max_by_key find"
            " peek peek_mut ok lock read write try_borrow try_borrow_mut upgrade pop_first pop_last chunks windows"
        ),
        "elements",
    ),
    **dict.fromkeys(
        names(
            "get get_mut pop pop_front pop_back front back front_mut back_mut values values_mut into_values err remove"
        ),
        "values",
    ),
}
"""`remove` of a vector gives what it holds bare, but that is the rarer one; `unwrap` of that says nothing then."""
CONTAINER_CALLBACKS = {
    **dict.fromkeys(
        names(
            "map for_each filter any all find position map_or map_or_else and_then is_some_and then flat_map filter_map"
            " find_map inspect take_while skip_while partition max_by_key min_by_key retain sort_by_key with unwrap_or"
            " try_for_each is_ok_and count sort_unstable_by_key iter_map"
        ),
        "element",
    ),
    **dict.fromkeys(names("map_err or_else unwrap_or_else"), "value"),
}
SAME = names("clone to_owned as_ref as_mut borrow borrow_mut deref deref_mut by_ref as_deref unwrap_or_clone")
"""Methods that give what they are called on, unless its type has its own."""
