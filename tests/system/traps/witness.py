"""What every Python of the trap environment loads first: an audit hook that writes down what comes out of the root.

Copied as `trap_witness` into the standard library of that environment, which has no encoding yet when it loads this:
only modules that are built in may be imported, and only ASCII may be written.

It writes a line, by one `write`, for what started (`start`) and for each thing it found (`found`): the process, the
kind, and a Python literal.

Source: PEP 578; docs.python.org, "Audit events table".
"""

from __future__ import annotations

import posix
import sys

LOADERS = ("<frozen importlib", "<frozen zipimport", "<frozen site", "<frozen runpy")
"""Beginnings of the file names of code that opens a file in order to run it."""

_SITE = ("/site.py", "/runpy.py", "/zipimport.py")


def watch(root: str, log: str) -> None:
    """Writes to `log` whatever this process takes as code from under `root`, from now to its end."""
    descriptor = posix.open(log, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    seen: set[str] = set()
    busy: list[bool] = []

    def is_inside(path: object) -> bool:
        if isinstance(path, bytes):
            path = path.decode("utf-8", "surrogateescape")
        if not isinstance(path, str) or path.startswith("<"):
            return False
        return path == root or path.startswith(root + "/")

    def could_be_inside(path: object) -> bool:
        return isinstance(path, str) and (not path.startswith(("/", "<")) or is_inside(path))

    def found(what: str) -> None:
        if what not in seen:
            seen.add(what)
            posix.write(descriptor, _line("found", what))

    def hook(event: str, given: tuple[object, ...]) -> None:
        if busy or event not in handlers:
            return
        busy.append(True)
        try:
            handlers[event](given)
        finally:
            busy.pop()

    def on_import(given: tuple[object, ...]) -> None:
        name, file, path = given[0], given[1], given[2]
        if is_inside(file):
            found(f"imports {name} from {file}")
        if isinstance(path, list) and any(could_be_inside(entry) for entry in path):
            found(f"looks for modules in {[entry for entry in path if could_be_inside(entry)]}")

    def on_exec(given: tuple[object, ...]) -> None:
        file = getattr(given[0], "co_filename", "")
        if is_inside(file):
            found(f"executes {file}")

    def on_open(given: tuple[object, ...]) -> None:
        if is_inside(given[0]) and _is_loading():
            found(f"loads {given[0]!r}")

    def on_load(given: tuple[object, ...]) -> None:
        if is_inside(given[0]):
            found(f"loads the library {given[0]}")

    def on_program(given: tuple[object, ...]) -> None:
        if could_be_inside(given[0]) or is_inside(given[0]):
            found(f"starts {given[0]!r}")

    def on_shell(given: tuple[object, ...]) -> None:
        found(f"has a shell run {given[0]!r}")

    handlers = {
        "import": on_import,
        "exec": on_exec,
        "open": on_open,
        "ctypes.dlopen": on_load,
        "subprocess.Popen": on_program,
        "os.exec": on_program,
        "os.posix_spawn": on_program,
        "os.system": on_shell,
    }
    posix.write(descriptor, _line("start", " ".join(_words())))
    sys.addaudithook(hook)


def _words() -> list[str]:
    """The command line with the interpreter's own options; what runs by `-c` is named by its beginning."""
    return [word.partition("\n")[0][:200] for word in sys.orig_argv]


def _is_loading() -> bool:
    """Whether the nearest Python code opens a file in order to run it."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back  # type: ignore[assignment]
    name = frame.f_code.co_filename if frame is not None else ""
    return name.startswith(LOADERS) or name.endswith(_SITE)


def _line(kind: str, what: str) -> bytes:
    return f"{posix.getpid()} {kind} {what!a}\n".encode()
