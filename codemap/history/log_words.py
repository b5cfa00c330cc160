"""What `git log` is asked for: all that a repository's configuration could say otherwise is said.

    git log WORDS --format=<log_format(token)> REVISION

Source: git-log(1), git-config(1) (`diff.*`, `log.*`).
"""

from __future__ import annotations

BEFORE = (
    *("-c", "core.attributesFile=/dev/null", "-c", "core.quotePath=false", "-c", "core.bigFileThreshold=4m"),
    *("-c", "core.commitGraph=false"),
)
"""Words before the command. Contents of 4 MB and more are not compared line by line."""
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


def log_format(token: str) -> str:
    """What `--format` is for the token, of letters and digits."""
    return f"{token}%x00%H%x00%P%x00%an%x00%ae%x00%at%x00%B%x00"


def merge_format(token: str) -> str:
    """What it is where only the changes of merges are asked for: the other fields are empty."""
    return f"{token}%x00%H%x00%P%x00%x00%x00%x00%x00"
