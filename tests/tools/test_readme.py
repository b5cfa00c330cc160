"""What an overview takes from a README, where no manifest says what the repository is."""

from __future__ import annotations

import time

import pytest

from bench.relevance.repositories import drive
from codemap import live_queries
from codemap.envelope.answer import Answer
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.overview.readme import SHOWN_MAX, sentence_of
from codemap.tools.overview.tool import Params, answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "# Jq\n\njq is a lightweight command-line JSON processor. It is fast.\n",
            "jq is a lightweight command-line JSON processor.",
        ),
        ("Jq\n==\n\nA processor of JSON, for shells.\n", "A processor of JSON, for shells."),
        (
            "[![B](https://x/y.svg)](https://x)\n\n<p>\n  <b>Fast JSON processor for shells.</b>\n</p>\n",
            "Fast JSON processor for shells.",
        ),
        (
            "Install it with the package manager first.\n\nThe [jq](https://x) tool is an **embeddable** language.\n",
            "The jq tool is an embeddable language.",
        ),
        (
            "- one point of a list\n- another point\n\n> a quotation of somebody\n\nIt reads and writes JSON.\n",
            "It reads and writes JSON.",
        ),
        ("[Docs](a) | [Chat](b) | [Site](c)\n\nIt reads and writes JSON.\n", "It reads and writes JSON."),
        ("You can do all of this with it:\n\nIt reads and writes JSON.\n", "It reads and writes JSON."),
        ("```sh\nthis is no prose but a command\n```\n\nIt reads and writes JSON.\n", "It reads and writes JSON."),
        (
            ".. image:: a.png\n   :alt: a picture of the tool\n\nIt reads and writes JSON.\n",
            "It reads and writes JSON.",
        ),
        ("<!-- a comment about the file itself -->\nIt reads and writes JSON.\n", "It reads and writes JSON."),
        ("`jq <https://x>`_ is a tool of few words.\n", "jq is a tool of few words."),
        ("jq and many others are working together here.\n\njq is a tool of few words.\n", "jq is a tool of few words."),
        ("# Only a title\n\nTwo words\n", ""),
        ("", ""),
    ],
)
def test_the_sentence_that_says_what_it_is(text: str, said: str) -> None:
    assert sentence_of(text, ["jq"]) == said


def test_a_long_sentence_is_cut() -> None:
    said = sentence_of(f"jq is a tool {'and more ' * 100}.\n", ["jq"])
    assert len(said) <= SHOWN_MAX
    assert said.endswith("…")


def asked(sources: dict[str, bytes], readme: dict[str, bytes]) -> dict[str, str]:
    """The packages of an overview, with these files at the root besides."""

    def look_up(question: live_queries.Question) -> live_queries.Fact:
        assert isinstance(question, live_queries.Source)
        if question.file not in readme:
            return live_queries.Missed(live_queries.Because.NO_FILE, "")
        return live_queries.Found(live_queries.SourceNow(readme[question.file], b""))

    made = drive(answer(World(build_snapshot(sources), root="/home/me/jq"), Params()), look_up)
    assert isinstance(made, Answer)
    assert isinstance(made.data, dict)
    packages: dict[str, str] = made.data.get("packages", {})
    return packages


def test_a_readme_says_what_no_manifest_says() -> None:
    readme = {"README.rst": b"jq is a processor of JSON.\n"}
    assert asked({"a.py": b"def f(): ...\n"}, readme) == {".": "jq is a processor of JSON."}
    go = {"main.go": b"package main\n\nfunc main() {}\n", "go.mod": b"module example.com/jq\n"}
    assert asked(go, readme) == {".": "example.com/jq: jq is a processor of JSON."}
    assert asked({"a.py": b"def f(): ...\n"}, {}) == {}


def test_what_a_manifest_says_is_enough() -> None:
    project = b'[project]\nname = "jq"\ndescription = "JSON on the command line"\n'
    sources = {"jq/__init__.py": b"def f(): ...\n", "pyproject.toml": project}
    assert asked(sources, {"README.md": b"jq is a processor of JSON.\n"}) == {".": "jq: JSON on the command line"}


REPEATED = ("<!-- ", "<a", "![a", "`a", "http://", "[", "~~~a\n", "|a", "*_", "..\n", "a\n=", "abc. ", "---\n", "jq ")


@pytest.mark.parametrize("text", [*(one * (20_000 // len(one)) for one in REPEATED), f"`a{' ' * 19_000}"])
def test_no_readme_takes_long(text: str) -> None:
    begun = time.process_time()
    sentence_of(text, ["jq"])
    assert time.process_time() - begun < 0.1


def test_a_comment_without_an_end_hides_the_rest() -> None:
    assert (
        sentence_of("It reads and writes JSON.\n\n<!-- jq is a tool of few words.\n", ["jq"])
        == "It reads and writes JSON."
    )
