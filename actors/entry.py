"""The entry point of the `codemap` command: removes the current folder and `PYTHONPATH` from the import path.

Python itself puts the folder of the script, or the current one (`python -m`), and what `PYTHONPATH` names before the
standard library. A user's shell may name a repository there, whose `types.py` would then be everybody's.

Rules of the file:
- It imports what every interpreter has loaded when it starts, and nothing else, `__future__` included.
- What Python does before it comes to this file is the user's: a `sitecustomize` that `PYTHONPATH` leads to has run.
"""

import os
import sys


def main() -> int:
    """Runs one command and returns its exit code."""
    if sys.executable and sys.getfilesystemencoding() != "utf-8":
        # The locale decides how this Python decodes file names; all of ours must decode them alike.
        os.execv(sys.executable, [sys.executable, "-Xutf8", *sys.orig_argv[1:]])
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    named = "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")
    sys.path[:] = own_path(sys.path, home, named, _current_folder(), starts_with_script=not sys.flags.safe_path)
    from actors.command_line.joining import run

    return run()


def own_path(path: list[str], home: str, named: str, folder: str, *, starts_with_script: bool) -> list[str]:
    """Filters an import path: keeps `home`, where codemap's packages are, and the folders of the interpreter.

    `named` is `PYTHONPATH`, `folder` the current one. Where codemap itself is found by `PYTHONPATH`, what it needs may
    be, too: then that stays, but for what lies in the current folder.
    """
    brought = _absolute(named.split(os.pathsep), folder) if named else []
    inside = [part for part in brought if part == folder or part.startswith(folder.rstrip("/") + "/")]
    left_out = {*(inside if home in brought else brought)} - {home}
    absolute = _absolute(path, folder)
    start = 1 if starts_with_script and absolute[0] != home else 0
    return [part for part in absolute[start:] if part not in left_out]


def _absolute(parts: list[str], folder: str) -> list[str]:
    return [os.path.abspath(os.path.join(folder, part)) for part in parts]


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return "/"
