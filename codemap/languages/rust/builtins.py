"""Names that every file has without an import, and methods that types of the standard library have.

Source: the Rust Reference, "Preludes"; the documentation of the crates `core`, `alloc` and `std`.
"""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """The names in a text, which white space parts."""
    return frozenset(text.split())


OWN_CRATES = names("std core alloc proc_macro test")
"""Crates that come with the compiler."""
PRIMITIVES = names("bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize never")
SLICE, RESULT = "[]", "Result?"
"""Names of the types of slices, and of what `?` may be put behind, which no file can define."""
ANY = "<T>"
"""A type of which nothing is known, which no file can define either."""
BUILTINS = (
    frozenset({ANY})
    | PRIMITIVES
    | names(
        "Some None Ok Err Option Result Vec String Box ToString ToOwned Clone Copy Send Sync Sized Drop Fn FnMut FnOnce"
        " Iterator IntoIterator DoubleEndedIterator ExactSizeIterator Extend FromIterator AsRef AsMut Into From TryFrom"
        " TryInto Default Eq PartialEq Ord PartialOrd Hash Debug drop Self Unpin"
    )
    | {SLICE, RESULT}
)
MACROS = names(
    "assert assert_eq assert_ne cfg column compile_error concat concat_idents dbg debug_assert debug_assert_eq"
    " debug_assert_ne env eprint eprintln file format format_args global_asm asm include include_bytes include_str"
    " is_x86_feature_detected line matches module_path option_env panic print println stringify thread_local todo"
    " unimplemented unreachable vec write writeln addr_of addr_of_mut"
)
"""Macros of the standard library."""
BUILTIN_MEMBERS = names(
    "abs add add_assign all and and_then any append as_bytes as_deref as_deref_mut as_mut as_mut_ptr as_mut_slice"
    " as_os_str as_path as_ptr as_ref as_slice as_str await borrow borrow_mut bytes capacity ceil chain char_indices"
    " chars checked_add checked_div checked_mul checked_sub chunks clear clone clone_from cloned cmp collect"
    " compare_exchange concat contains contains_key copied copy_from_slice count count_ones cycle default deref"
    " deref_mut deserialize display div drain drop dedup ends_with entry enumerate eq err exists expect expect_err"
    " extend extend_from_slice fetch_add fetch_sub fill filter filter_map find find_map finish first flat_map"
    " flatten floor flush fmt fold for_each from from_iter from_str ge get get_mut get_or_insert_with get_ref"
    " get_unchecked gt hash hint id index index_mut insert inspect into into_boxed_slice into_bytes into_inner"
    " into_iter into_owned into_string is_alphabetic is_alphanumeric is_char_boundary is_dir is_digit is_empty"
    " is_err is_file is_none is_ok is_some is_some_and iter iter_mut join keys kind last last_mut le leading_zeros"
    " len lines load lock lt map map_err map_or map_or_else matches max max_by max_by_key metadata min min_by"
    " min_by_key mul name ne neg next next_back next_if not nth now ok ok_or ok_or_else open or or_default or_else"
    " or_insert or_insert_with parent parse partial_cmp partition path peek peekable pop pop_back pop_front position"
    " pow position product push push_back push_front push_str read read_exact read_line read_to_end read_to_string"
    " recv rem remove repeat replace reserve resize retain rev reverse rfind rotate_left saturating_sub seek send"
    " serialize set_len shift shl shr size_hint skip skip_while sort sort_by sort_by_key sort_unstable spawn splice"
    " split split_at split_at_mut split_first split_last split_off split_whitespace sqrt starts_with step_by store"
    " strip_prefix strip_suffix sub subsec_nanos sum swap swap_remove take take_while then then_some"
    " to_ascii_lowercase to_ascii_uppercase to_bytes to_le_bytes to_lowercase to_os_string to_owned to_path_buf"
    " to_string to_string_lossy to_uppercase to_vec trailing_zeros trim trim_end trim_start truncate try_borrow"
    " try_borrow_mut try_from try_into try_lock unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else unzip"
    " values values_mut wait wake windows with with_capacity wrapping_add wrapping_mul wrapping_sub write write_all"
    " write_fmt write_str zip"
)
"""A call of one of them on what nothing is known about is no guess."""
CLOSED_TRAITS = names(
    "Add AddAssign AsMut AsRef BitAnd BitAndAssign BitOr BitOrAssign BitXor BitXorAssign Borrow BorrowMut Clone Copy"
    " Debug Default Deref DerefMut Display Div DivAssign Drop Eq Extend From FromIterator FromStr Hash Index IndexMut"
    " Into LowerExp LowerHex Mul MulAssign Neg Not Octal Ord PartialEq PartialOrd Rem RemAssign Send Shl Shr Sized"
    " StructuralEq Sub SubAssign Sum Product Sync ToOwned ToString TryFrom TryInto Unpin UnwindSafe UpperExp UpperHex"
    " Binary Pointer IntoIterator"
)
"""Traits of the standard library whose methods are known: a type that implements them has no others by that."""
IN_EVERY_CLASS = names(
    "clone clone_from eq ne partial_cmp cmp lt le gt ge max min clamp hash fmt to_string to_owned into try_into borrow"
    " borrow_mut type_id deref deref_mut default from try_from"
)
"""Methods that types have by those, or by what the standard library implements for all."""
