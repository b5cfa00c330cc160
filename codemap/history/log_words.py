"""What `git log` is asked for: all that a repository's configuration could say otherwise is said.

    git <words_before(attributes)> log WORDS --format=<log_format(token)> REVISION

Source: git-log(1), git-config(1) (`diff.*`, `log.*`).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

_PLAIN = (
    *("--raw", "-z", "--no-abbrev", "-O/dev/null", "--no-relative", "--no-ext-diff", "--no-textconv"),
    *("--submodule=short", "--ignore-submodules=none", "--no-color", "--no-show-signature", "--no-notes"),
    *("--no-mailmap", "--no-decorate", "--encoding=UTF-8"),
)
"""What a configuration could say otherwise, and how the entries are printed."""
_PATCHES = ("-p", "-U0", "--full-index", "-l300", "--inter-hunk-context=0", "--diff-algorithm=myers")
"""Whole object IDs need no search for how short they may be."""
_MERGES = ("--min-parents=2",)
_COMBINED = ("-c", *_PATCHES, "--combined-all-paths")
WORDS = (*_PATCHES, "--diff-merges=off", "--root", "-M", *_PLAIN)
"""What `git log` is asked for: all commits, and of those that are no merges what they changed."""
MERGE_WORDS = (*_MERGES, "--diff-merges=first-parent", "--no-renames", *_PLAIN)
"""What it is asked for to learn which files of a merge are not as in its first parent."""
COMBINED_WORDS = (*_MERGES, *_COMBINED, "--no-renames", *_PLAIN)
"""What it is asked for to learn which files of a merge are as in none of its parents, and what differs. Without a
search for renames, git reads only what differs between all the trees, a third of the work."""
RENAMED_WORDS = (*_COMBINED, "-M", "--no-walk=unsorted", *_PLAIN)
"""What it is asked for about merges with files that some parent does not have by that name."""


def words_before(attributes: str) -> tuple[str, ...]:
    """Words before the command. Contents of 4 MB and more are not compared line by line, nor are those that a file of
    attributes says not to."""
    settings = ("quotePath=false", "bigFileThreshold=4m", "commitGraph=false", f"attributesFile={attributes}")
    return tuple(word for one in settings for word in ("-c", f"core.{one}"))


class PathWords(msgspec.Struct, frozen=True):
    """What says that some paths are left out."""

    options: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    """Behind the `--` that ends the revisions."""


def words_without(paths: Sequence[str]) -> PathWords:
    """Words to leave out some paths, from the top of the repository, and no commit."""
    if not paths:
        return PathWords()
    patterns = tuple(f":(top,literal,exclude){path}" for path in paths)
    return PathWords(("--full-history", "--sparse"), patterns)


_NOT_COMPARED = """
    adoc asciidoc bib cfg cnf conf config crt css csv desktop diff docx dot editorconfig env eot gif gitattributes
    gitignore gitmodules graphql htm html ico ini ipynb jpeg jpg json json5 jsonc jsonl key ldif less lock log man map
    markdown md mdx mo ndjson org otf out patch pdf pem plist po pot properties ps png resx rst rtf sass scss snap sql
    styl sum svg tex textile tfstate tmlanguage toml tsv ttf txt webp wiki woff woff2 xhtml xlf xliff xml xsd xsl xslt
    yaml yml
"""
NOT_COMPARED = frozenset(_NOT_COMPARED.split())
"""Endings of files that have no definitions, and never become files that do under another name. Which commits changed
them is known; which lines, nobody asks."""


_COMPARED_OFTEN = ("js", "ts", "go", "py")
"""Endings of many files with definitions: said last, which git reads first, as it stops at the first that fits."""


def attributes_text() -> str:
    """What such a file says. It counts less than the attributes of the repository.

    A pattern of `*` and an ending is compared as it is, in a tenth of the time that one with `[]` takes; so only
    endings all in small or all in capital letters are known.
    """
    endings = sorted(NOT_COMPARED)
    lines = [f"*.{ending} -diff\n" for ending in (*map(str.upper, endings), *endings)]
    return "".join((*lines, *(f"*.{ending} !diff\n" for ending in _COMPARED_OFTEN)))


def log_format(token: str) -> str:
    """What `--format` is for the token, of letters and digits."""
    return f"{token}%x00%H%x00%P%x00%an%x00%ae%x00%at%x00%B%x00"


def merge_format(token: str) -> str:
    """What it is where only the changes of merges are asked for: the other fields are empty."""
    return f"{token}%x00%H%x00%P%x00%x00%x00%x00%x00"
