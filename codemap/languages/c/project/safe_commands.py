"""A compilation database without the options by which a compiler writes or loads files, for a language server.

clangd runs no compiler that a database names, and loads no plug-in; but it writes what some options ask for, wherever
they say (measured with 22.1.1: `--serialize-diagnostics`, `-fmodules-cache-path`, `-Xclang -stats-file=` and others).
So only those options are left that say what code means: which folders are searched, which names are defined, which
language and machine it is for.

Source: the Clang command line reference; Clang, "JSON Compilation Database Format Specification".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from codemap.languages.c.project.compile_commands import Command, read

_TAKES_WORD = frozenset(
    (
        *("-I", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot"),
        *("--sysroot", "-F", "-iframework", "-D", "-U", "-include", "-imacros", "-x", "-std", "--std", "-arch"),
        *("-target", "--target"),
    )
)
"""Options that are kept with the word after them."""

_TAKES_WORD_AND_GOES = frozenset(
    (
        *("-o", "-MF", "-MT", "-MQ", "-MJ", "-Xclang", "-Xpreprocessor", "-Xlinker", "-Xassembler", "-mllvm"),
        *("-Xanalyzer", "-Xopenmp-target", "-Xarch_host", "-Xarch_device", "-L", "-l", "-u", "-T", "-z", "-e"),
        *("-framework", "-index-store-path", "--serialize-diagnostics", "-serialize-diagnostics", "--config"),
        *(
            "-dependency-file",
            "-dumpbase",
            "-dumpdir",
            "--param",
            "-aux-info",
            "-B",
            "-ccc-install-dir",
            "-gcc-toolchain",
        ),
        *("-rpath", "-install_name", "-working-directory", "-include-pch", "-fmodule-file", "-plugin", "-load"),
        *("-gcc-toolchain", "-resource-dir", "-wrapper"),
    )
)
"""Options that are left out with the word after them, which would be taken for a source file."""

_KEPT = re.compile(
    r"-(?:I|isystem|iquote|idirafter|isysroot|F|iframework|D|U|include(?!-pch)|imacros|x)[^\s].*"
    r"|--?(?:std|stdlib|sysroot|target|arch)=.*"
    r"|-(?:nostdinc|nostdinc\+\+|nostdlibinc|nobuiltininc|pthread|pthreads|ansi|undef|trigraphs|ObjC|ObjC\+\+|c|w)"
    r"|-O[0-3sgz]?|-Ofast"
    r"|-m(?!llvm)[\w.+-]+(?:=[\w.,+-]*)?"
    r"|-f(?:no-)?(?!modul|plugin|pass-plugin|profile|time|crash|build|debug|save|opt-rec|dump|coverage|proc|stack-usage"
    r"|callgraph|thinlto|lto|prebuilt|implicit-modul|cs-profile|memory-profile|auto-profile|basic-block|xray|test-cov"
    r"|diagnostics|api-notes|index|integrated|use|multilib|sycl|offload|openmp|cuda|hip|emit|embed|instrument|record"
    r"|symbol-part|randomize|macro-prefix|file-prefix|coverage-prefix|sanitize)[a-z][\w+-]*"
    r"|-f(?:visibility|ms-compatibility-version|ms-extensions|template-depth|constexpr-depth|constexpr-steps"
    r"|bracket-depth|gnuc-version|exec-charset|input-charset|wchar-type|char8_t|abi-version|clang-abi-compat|new-alignment"
    r"|operator-names|pack-struct|max-type-align|objc-runtime|tls-model|float-abi|fp-model|ffp-contract)=[\w.:+-]*"
)
"""What says how source is read. Of the flags with a value, those are named that bear on the meaning of code."""

_COMPILER = re.compile(r"(?:.*/)?(?:[\w.+-]+-)?(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+)(?:-[\d.]+)?")
"""Names of compilers whose options are these; `clang-cl` has others."""

_WORD = re.compile(r"""(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+""", re.DOTALL)
_QUOTED = re.compile(r"""\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'""", re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\$`])')


@lru_cache(maxsize=1)
def safe_database(text: bytes) -> bytes:
    """The database with such commands only; an empty one where the text is none."""
    commands = read(text)
    if not isinstance(commands, list):
        return b"[]"
    is_kept: dict[str, bool] = {}
    return msgspec.json.encode([_safe(command, is_kept) for command in commands])


def _safe(command: Command, is_kept: dict[str, bool]) -> dict[str, object]:
    words = command.arguments or _words(command.command)
    kept = list(_kept(words, command.file, is_kept))
    return {"directory": command.directory, "file": command.file, "arguments": kept}


def _kept(words: Iterable[str], file: str, is_kept: dict[str, bool]) -> Iterator[str]:
    """The words that are left; `is_kept` remembers of single ones whether they are, as most come again and again."""
    following = iter(words)
    compiler = next(following, "")
    if _COMPILER.fullmatch(compiler):
        yield compiler
    else:
        yield "cc" if file.endswith(".c") else "c++"
    for word in following:
        if word in _TAKES_WORD:
            value = next(following, None)
            if value is not None:
                yield word
                yield value
        elif word in _TAKES_WORD_AND_GOES:
            next(following, None)
        else:
            known = is_kept.get(word)
            if known is None:
                known = is_kept[word] = not word.startswith(("-", "@")) or _KEPT.fullmatch(word) is not None
            if known:
                yield word


def _words(command: str) -> Iterator[str]:
    """The words of a command line, as a shell would split it."""
    if '"' not in command and "'" not in command and "\\" not in command:
        yield from command.split()
        return
    for word in _WORD.findall(command):
        yield _QUOTED.sub(_unquoted, word)


def _unquoted(found: re.Match[str]) -> str:
    escaped, double, single = found.groups()
    if escaped is not None:
        return str(escaped)
    return _ESCAPED.sub(r"\1", double) if double is not None else str(single)
