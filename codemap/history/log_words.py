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
WORDS = (
    *("-c", "-p", "-U0", "--combined-all-paths", "--full-index", "--root", "-M", "-l300"),
    *("--inter-hunk-context=0", "--diff-algorithm=myers", *_PLAIN),
)
"""What `git log` is asked for. A merge is compared with all its parents at once. Whole object IDs need no search for
how short they may be."""
MERGE_WORDS = ("--min-parents=2", "--diff-merges=first-parent", "--no-renames", *_PLAIN)
"""What it is asked for to learn which files of a merge are not as in its first parent."""


def log_format(token: str) -> str:
    """What `--format` is for the token, of letters and digits."""
    return f"{token}%x00%H%x00%P%x00%an%x00%ae%x00%at%x00%B%x00"
