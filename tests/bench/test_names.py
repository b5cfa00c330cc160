"""The names that measurements ask for."""

from __future__ import annotations

from pathlib import Path

from bench.names import defined_names, inexact, questions, spread


def test_names_are_those_behind_defining_keywords(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class Store:\n    def refresh(self): ...\n    async def refresh_all(self): ...\n")
    (tmp_path / "b.ts").write_text("export interface Token {}\nexport async function refresh() {}\nconst no = 1\n")
    assert defined_names(tmp_path, ["a.py", "b.ts"]) == ["Store", "Token", "refresh", "refresh_all"]


def test_a_spread_is_even_and_keeps_what_is_few() -> None:
    assert spread(list("abcdefghij"), 5) == ["a", "c", "e", "g", "i"]
    assert spread(["a", "b"], 5) == ["a", "b"]


def test_inexact_queries_take_turns() -> None:
    assert inexact(["refresh", "SessionStore", "refresh_all", "token"]) == ["ref", "session store", "refreh_all", "to"]


def test_questions_have_words_of_two_names_that_stand_apart() -> None:
    assert questions(["refresh", "SessionStore", "refresh_all", "token"]) == [
        "refresh refresh all",
        "session store token",
        "refresh all refresh",
        "token session store",
    ]
