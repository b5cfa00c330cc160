"""Forty questions, by ripgrep, by a peer and by codemap: `python -m bench.value [REPOSITORY ...] [--write]`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator

import msgspec

from bench.client import connected
from bench.codegraph import codegraph
from bench.corpora import fetch
from bench.value.judge import judged_printed, judged_reply
from bench.value.peers import ask_peer
from bench.value.questions import FOLDER, Question, Questions, questions
from bench.value.report import Got, PerItem, Scored, report, short
from bench.value.shown import replied
from bench.value.strategies import Answer, asked, lines_of, shell

ABOUT = """# What codemap is worth: forty questions

Forty questions on five repositories of four languages that codemap was not made on, each with a checkable answer
(`questions.toml`; how each answer was established stands there). *grep* is what an expert with ripgrep runs, over the
whole repository, with the definitions around each hit where the question asks who; *grep, production code* is the
same where the expert knows beforehand which folders to look in. *codemap* is the call that the tools' descriptions
suggest for that kind of question, with default parameters, over MCP on stdio; cursors are followed where a whole list
is asked for. A token is four characters of what came back, for both. Right: every item of the answer is in what came
back. Printed lines are judged kindly (a name in the right file is enough), replies by file and qualified name, or
file and line. Not counted: what a model is told once a session about the tools.

*codegraph* 1.6.1 is a peer that can be run here. Its one tool that a model is shown takes the question's words and
brings verbatim source; its commands list who calls, what is called, who imports, and that tool stands in where there is
none for a kind. It is judged as kindly as printed lines are: a name in the right file is enough, and where the answer
is a line, the name of the definition around it.

After a first round one rule was added, which one question is right by (`map_neighbors` counts what the functions
inside a function use: createDynamicMiddleware), and two answers were corrected (two calls of NewHTTPError in a file
that another build constraint had hidden from the oracle; the closure that buildGetDefaultMiddleware returns stands
for it).

`python -m bench.value --write` takes it again.
"""
OF_ITEMS = ("callers", "importers", "hierarchy")


def measured(known: Questions, names: list[str]) -> Iterator[tuple[Scored, PerItem | None]]:
    with shell() as shelled:
        for name in names:
            repository = known.repositories[name]
            root = fetch(repository.pinned)
            command = (sys.executable, "-m", "actors.command_line.main", "serve", "--root", str(root), "--share", "off")
            with connected(command) as client, codegraph(root) as peer:
                client.initialize()
                client.call("map_rebuild")  # returns when all is indexed: how long that takes is measured elsewhere
                for question in known.questions:
                    if question.repository != name:
                        continue
                    ours = asked(client, question)
                    by = {
                        "grep": _printed(question, shelled.answer(root, question.grep, ".")),
                        "grep, production code": _printed(
                            question, shelled.answer(root, question.grep, repository.product)
                        ),
                        **ask_peer(peer, question),
                        "codemap": Got(ours.tokens, ours.calls, judged_reply(question, ours.rows, repository.aside)),
                    }
                    item = None
                    if question.kind in OF_ITEMS:
                        word = lines_of(shelled, root, repository, question.word)
                        item = _per_item(question, ours.texts[0], word)
                    yield Scored(question, by), item


def _printed(question: Question, answer: Answer) -> Got:
    return Got(answer.tokens, answer.calls, judged_printed(question, answer.rows))


def _per_item(question: Question, text: str, word: Answer) -> PerItem:
    rows = replied(msgspec.json.decode(text).get("data", {}))
    missing = judged_reply(question, rows, ()).missing
    word_missing = judged_printed(question, word.rows).missing
    count = len(question.items)
    return PerItem(question, -(-len(text) // 4), count - len(missing), word.tokens, count - len(word_missing))


def main() -> None:
    known = questions()
    parser = ArgumentParser(
        "python -m bench.value", description="Forty questions, by ripgrep, by codemap and by a peer."
    )
    parser.add_argument("names", nargs="*", metavar="REPOSITORY", help=f"by default {', '.join(known.repositories)}")
    parser.add_argument("--misses", action="store_true", help="tell what is missing and what is wrong")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md")
    given = parser.parse_args()
    if unknown := set(given.names) - known.repositories.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    scored, items = [], []
    for one, item in measured(known, given.names or list(known.repositories)):
        scored.append(one)
        items += [item] if item else []
        if given.misses:
            _tell(one)
    text = f"{ABOUT}\n{report(scored, items)}"
    if given.write:
        (FOLDER / "RESULTS.md").write_text(text, encoding="utf-8")
    print(f"{text}\n{short(scored, items)}")


def _tell(one: Scored) -> None:
    for strategy, got in one.by.items():
        told = [f"missing {item}" for item in got.verdict.missing] + [f"wrong {row}" for row in got.verdict.wrong]
        if told:
            sys.stderr.write(f"{one.question.repository} {one.question.asks} [{strategy}]\n")
            sys.stderr.writelines(f"    {line}\n" for line in told)


if __name__ == "__main__":
    main()
