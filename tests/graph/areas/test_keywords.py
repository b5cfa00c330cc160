"""The words that tell areas apart."""

from __future__ import annotations

from codemap.graph.areas.keywords import distinctive_words, words_in


def test_names_are_parted_into_words_without_those_of_programming() -> None:
    assert words_in("HTTPRequestParser") == ["http", "request", "parser"]
    assert words_in("get_session_by_id") == ["session"]


def test_what_others_have_too_says_less() -> None:
    names = [
        ["SessionStore", "SessionCache", "open_session", "StoreError", "store_all"],
        ["PageStore", "PageCache", "render_page", "store_page"],
    ]
    first, second = distinctive_words(names, ["a", "b"])
    assert first[0] == "session"
    assert second[0] == "page"


def test_what_the_folder_says_is_not_repeated_nor_another_form_of_a_word() -> None:
    names = [
        ["revoke", "revoke_it", "revoked", "worker_pool", "worker_pools", "tasks"],
        ["x"],
    ]
    assert distinctive_words(names, ["app/worker", "b"])[0] == ["revoke"]


def test_a_word_of_one_name_says_nothing() -> None:
    assert distinctive_words([["Alpha", "Beta"]], ["x"]) == [[]]
