"""The records of language servers: sound as data, and what each makes of a repository."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from fnmatch import fnmatchcase

import pytest

from codemap.languages import languages
from codemap.languages.c.project.safe_commands import safe_database
from codemap.languages.c.project.server import SERVERS as C_SERVERS
from codemap.languages.csharp.project.server import SERVERS as CSHARP_SERVERS
from codemap.languages.ecmascript.project.removed import removed_option
from codemap.languages.ecmascript.project.server import SERVERS as ECMASCRIPT_SERVERS
from codemap.languages.ecmascript.project.server import TYPESCRIPT, TYPESCRIPT_LANGUAGE_SERVER
from codemap.languages.go.project.server import SERVERS as GO_SERVERS
from codemap.languages.java.server import SERVERS as JAVA_SERVERS
from codemap.languages.kotlin.server import SERVERS as KOTLIN_SERVERS
from codemap.languages.php.project.server import INTELEPHENSE
from codemap.languages.php.project.server import SERVERS as PHP_SERVERS
from codemap.languages.python.project.roots import source_roots
from codemap.languages.python.project.server import BASEDPYRIGHT, PYRIGHT, TY
from codemap.languages.python.project.server import SERVERS as PYTHON_SERVERS
from codemap.languages.ruby.project.server import SERVERS as RUBY_SERVERS
from codemap.languages.rust.project.server import SERVERS as RUST_SERVERS
from codemap.lsp.server import AfterMessage, AfterProgress, Cancel, Server
from codemap.lsp.serving import Configured, Serving
from codemap.project import Project

SERVERS = (
    *(*PYTHON_SERVERS, *ECMASCRIPT_SERVERS, *C_SERVERS, *GO_SERVERS, *RUST_SERVERS, *JAVA_SERVERS),
    *(*CSHARP_SERVERS, *RUBY_SERVERS, *PHP_SERVERS, *KOTLIN_SERVERS),
)


def name(server: Server) -> str:
    return server.name


def test_each_language_has_its_servers_in_order() -> None:
    found = {language.name: [server.name for server in language.servers] for language in languages()}
    assert found["py"] == ["ty", "basedpyright", "pyright"]
    assert found["ts"] == found["js"] == ["typescript", "typescript-language-server"]
    assert found["c"] == found["cpp"] == ["clangd"]
    assert [server.name for server in RUBY_SERVERS] == ["ruby-lsp", "solargraph"]
    assert [server.name for server in PHP_SERVERS] == ["intelephense", "phpactor"]
    assert not [language for language, servers in found.items() if not servers]


def test_names_are_unique() -> None:
    named = [*(server.name for server in SERVERS), *{part.name for server in SERVERS for part in server.companions}]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("server", SERVERS, ids=name)
def test_a_record_is_sound(server: Server) -> None:
    assert server.install
    assert server.entry.names
    assert server.language_ids
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in server.language_ids)
    assert re.compile(server.entry.version_pattern).groups == 1
    match server.readiness:
        case AfterMessage(pattern=pattern) | AfterProgress(pattern=pattern):
            assert re.compile(pattern)
        case _:
            pass
    assert server.verifies in {"all", "uncertain", "none"}
    assert 1 <= server.in_flight_max <= 8
    assert 0 < server.start_s <= 60
    assert 0 < server.ready_s <= 120
    assert server.memory_max_mb <= 4000
    words = [*server.arguments, *server.environment.values()]
    assert all(set(re.findall(r"\{\w+\}", word)) <= {"{nonce}", "{state}"} for word in words)
    assert (server.cancel is Cancel.FILE) == any("{nonce}" in word for word in server.arguments)
    json.dumps([server.initialization_options, server.configuration])


@pytest.mark.parametrize("server", [one for language in languages() for one in language.servers], ids=name)
def test_a_server_is_asked_only_about_files_of_its_languages(server: Server) -> None:
    suffixes = {suffix for language in languages() if server in language.servers for suffix in language.suffixes}
    assert set(server.language_ids) == suffixes


def test_the_servers_that_run_code_of_the_repository_say_so() -> None:
    assert {server.name for server in SERVERS if server.runs_project_code} == {
        *("rust-analyzer", "jdtls", "csharp-ls", "ruby-lsp", "solargraph", "kotlin-lsp"),
    }


def test_what_installs_or_downloads_is_forbidden_to() -> None:
    assert TYPESCRIPT.configuration["js/ts"] == {"tsserver": {"automaticTypeAcquisition": {"enabled": False}}}
    assert TYPESCRIPT_LANGUAGE_SERVER.initialization_options["disableAutomaticTypingAcquisition"] is True
    assert TY.environment["TY_UV"] == "0"
    [gopls] = GO_SERVERS
    off = {"GOPROXY": "off", "GONOPROXY": "none", "GOVCS": "*:off", "GOTOOLCHAIN": "local"}
    assert off.items() <= gopls.environment.items()
    [clangd] = C_SERVERS
    assert {"--compile-commands-dir={state}", "--enable-config=false"} <= set(clangd.arguments)


# -- wrappers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "found", "program"),
    [
        (TYPESCRIPT, "/n/typescript/bin/tsc", "/n/@typescript/typescript-linux-x64/lib/tsc"),
        (TYPESCRIPT, "/n/typescript/bin/tsc", "/n/typescript/node_modules/@typescript/typescript-darwin-arm64/lib/tsc"),
        (TYPESCRIPT, "/n/.bin/tsc", "/n/@typescript/typescript-linux-x64/lib/tsc"),
        (TYPESCRIPT, "/n/@typescript/typescript-linux-x64/lib/tsc", "/n/@typescript/typescript-linux-x64/lib/tsc"),
        (
            TYPESCRIPT_LANGUAGE_SERVER,
            "/n/typescript-language-server/lib/cli.mjs",
            "/n/typescript-language-server/lib/cli.mjs",
        ),
        (TYPESCRIPT_LANGUAGE_SERVER, "/n/.bin/typescript-language-server", "/n/typescript-language-server/lib/cli.mjs"),
        (PYRIGHT, "/n/pyright/index.js", "/n/pyright/langserver.index.js"),
        (PYRIGHT, "/n/.bin/pyright", "/n/pyright/langserver.index.js"),
        (BASEDPYRIGHT, "/v/bin/basedpyright", "/v/lib/python3.12/site-packages/basedpyright/langserver.index.js"),
        (BASEDPYRIGHT, "/n/basedpyright/index.js", "/n/basedpyright/langserver.index.js"),
        (INTELEPHENSE, "/n/.bin/intelephense", "/n/intelephense/lib/intelephense.js"),
        (INTELEPHENSE, "/n/intelephense/lib/intelephense.js", "/n/intelephense/lib/intelephense.js"),
        (C_SERVERS[0], "/v/bin/clangd", "/v/lib/python3.12/site-packages/clangd/data/bin/clangd"),
        (C_SERVERS[0], "/usr/lib/llvm-19/bin/clangd", "/usr/lib/llvm-19/bin/clangd"),
    ],
)
def test_the_program_behind_what_was_found_is_known(server: Server, found: str, program: str) -> None:
    assert server.entry.real_program is not None
    folder = found.rpartition("/")[0]
    patterns = [_joined(folder, pattern) for pattern in server.entry.real_program(found)]
    assert any(fnmatchcase(program, pattern) for pattern in patterns), patterns


def test_the_pyright_of_pypi_which_downloads_another_has_nothing_behind_it() -> None:
    assert PYRIGHT.entry.real_program is not None
    patterns = [_joined("/v/bin", pattern) for pattern in PYRIGHT.entry.real_program("/v/bin/pyright")]
    assert not any(fnmatchcase("/v/lib/python3.12/site-packages/pyright/langserver.py", each) for each in patterns)


def _joined(folder: str, pattern: str) -> str:
    parts = folder.split("/")
    for part in pattern.split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


# -- options that TypeScript 7 does not have -------------------------------------------------------------------------


def reason(files: Mapping[str, str], folder: str = "/r/src") -> str:
    return removed_option(lambda path: files[path].encode() if path in files else None, folder)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ('{"baseUrl": "."}', "/r/tsconfig.json states baseUrl, which TypeScript 7 does not have"),
        (
            '{"moduleResolution": "Node"}',
            "/r/tsconfig.json states moduleResolution Node, which TypeScript 7 does not have",
        ),
        (
            '{"moduleResolution": "classic"}',
            "/r/tsconfig.json states moduleResolution classic, which TypeScript 7 does not have",
        ),
        ('{"moduleResolution": "bundler", "paths": {"@/*": ["./src/*"]}}', ""),
        ('{"target": "es5", "module": "amd", "outFile": "x.js", "downlevelIteration": true}', ""),
        ("{}", ""),
    ],
)
def test_options_that_change_what_a_specifier_means_are_noticed(options: str, why: str) -> None:
    assert reason({"/r/tsconfig.json": f'{{"compilerOptions": {options}, /* a comment */}}'}) == why


def test_the_nearest_configuration_governs() -> None:
    outer = '{"compilerOptions": {"baseUrl": "."}}'
    assert reason({"/r/tsconfig.json": outer, "/r/src/tsconfig.json": "{}"}) == ""
    assert reason({"/r/tsconfig.json": outer, "/r/other/tsconfig.json": "{}"}).startswith("/r/tsconfig.json")
    assert reason({"/r/jsconfig.json": outer}).startswith("/r/jsconfig.json")
    assert reason({}) == ""


def test_what_is_extended_counts_unless_it_is_overridden() -> None:
    base = '{"compilerOptions": {"moduleResolution": "node"}}'
    extends = '{"extends": "./base", "compilerOptions": {"strict": true}}'
    why = "/r/tsconfig.json states moduleResolution node, which TypeScript 7 does not have"
    assert reason({"/r/tsconfig.json": extends, "/r/base.json": base}) == why
    installed = {
        "/r/tsconfig.json": '{"extends": ["@x/base/tsconfig.json"]}',
        "/r/node_modules/@x/base/tsconfig.json": base,
    }
    assert reason(installed) == why
    overridden = '{"extends": "./base", "compilerOptions": {"moduleResolution": "bundler"}}'
    assert reason({"/r/tsconfig.json": overridden, "/r/base.json": base}) == ""


def test_projects_that_are_referred_to_govern_too() -> None:
    files = {
        "/r/tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tool"}]}',
        "/r/tsconfig.app.json": '{"references": [{"path": "."}]}',
        "/r/tool/tsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}',
    }
    assert reason(files) == "/r/tool/tsconfig.json states baseUrl, which TypeScript 7 does not have"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"extends": 3}', '{"references": {}}', '{"references": [3]}', '{"extends": "./tsconfig"}']
)
def test_a_broken_configuration_is_no_reason(text: str) -> None:
    assert reason({"/r/tsconfig.json": text}) == ""


# -- how servers are configured --------------------------------------------------------------------------------------


def configured(server: Server, **serving: object) -> Configured:
    assert server.configure is not None
    return server.configure(Serving(**({"root": "/r", "folder": "/r"} | serving)))  # type: ignore[arg-type]


def test_ty_is_given_source_roots_in_order_and_of_the_environment() -> None:
    found = configured(TY, source_roots=("/r", "/r/lib"), companions={"pyvenv.cfg": "/r/.venv/pyvenv.cfg"})
    environment = {"root": ["/r", "/r/lib"], "python": "/r/.venv"}
    assert found.configuration == {"ty": {"configuration": {"environment": environment}}}
    assert configured(TY).configuration == {"ty": {"configuration": {"environment": {}}}}


@pytest.mark.parametrize("server", [BASEDPYRIGHT, PYRIGHT], ids=name)
def test_pyright_never_chooses_an_interpreter_by_itself(server: Server) -> None:
    python = configured(server, source_roots=("/r", "/r/lib"), companions={"python": "/usr/bin/python3"}).configuration[
        "python"
    ]
    assert (python["pythonPath"], python["analysis"]["extraPaths"]) == ("/usr/bin/python3", ["/r/lib"])
    assert configured(server).configuration["python"]["pythonPath"] == "/nonexistent/python"


def test_clangd_is_given_a_copy_of_the_compilation_database() -> None:
    [clangd] = C_SERVERS
    companions = {"compile_commands.json": "/r/build/compile_commands.json"}
    found = configured(clangd, companions=companions, read=lambda path: f"of {path}".encode(), is_trusted=True)
    assert found == Configured(files={"compile_commands.json": b"of /r/build/compile_commands.json"})


SAFE = """
-I include | -Iinclude | -isystem /usr/x | -iquote=q | -DNAME='a b' | -UNAME | -include pre.h | -std=c99 | --std=c++20
-stdlib=libc++ | -x c++ | -xc | --target=arm-none-eabi | -target arm | -m32 | -march=native | -mfpu=neon | -mno-sse
-O2 | -Ofast | -nostdinc | -nostdinc++ | -pthread | -fno-exceptions | -frtti | -fshort-wchar | -fms-extensions
-c | a.c | -fvisibility=hidden | -ftemplate-depth=900 | --sysroot=/s
"""
UNSAFE = """
-o a.o | -MD | -MMD | -MF dep | -MFdep | -Wp,-MD,dep | -Xclang -load | -Xclang -stats-file=x | @words | -fplugin=evil.so
-fpass-plugin=evil.so | -fmodules | -fmodules-cache-path=x | -fmodule-file=x | --serialize-diagnostics x | -ftime-trace
-ftime-trace=x | -ftime-report | -save-temps | -save-temps=obj | -index-store-path x | -fprofile-use=x | -fstack-usage
-fprofile-generate=x | -fcrash-diagnostics-dir=x | --config x | --config=x | -B tools | -Btools | -specs=x | -dumpdir x
-mllvm -load=x | -fdump-tree-all | -wrapper x,y | -fsave-optimization-record=yaml | -foptimization-record-file=x
-fopt-record-file=x | -fdiagnostics-format=sarif-file | -frandomize-layout-seed-file=x | --driver-mode=cl | -emit-pch
-working-directory x | -fsanitize-coverage-allowlist=x | -gsplit-dwarf | -resource-dir x | -gcc-toolchain x
"""


def options(text: str) -> list[str]:
    return [option.strip() for line in text.strip().splitlines() for option in line.split("|")]


@pytest.mark.parametrize("option", options(SAFE + UNSAFE))
@pytest.mark.parametrize("is_list", [True, False])
def test_options_by_which_clangd_would_write_or_load_are_left_out_of_its_copy(option: str, is_list: bool) -> None:
    words = shlex.split(option)
    entry = {"directory": "/r", "file": "a.c", "output": "x"}
    entry |= {"arguments": ["cc", *words, "b.c"]} if is_list else {"command": f"cc {option} b.c"}  # type: ignore[dict-item]
    kept = json.loads(safe_database(json.dumps([entry]).encode()))
    left = words if option in options(SAFE) else []
    assert kept == [{"directory": "/r", "file": "a.c", "arguments": ["cc", *left, "b.c"]}]


@pytest.mark.parametrize(
    ("named", "left"),
    [
        ("/r/tools/arm-none-eabi-gcc-12", "/r/tools/arm-none-eabi-gcc-12"),
        ("clang++", "clang++"),
        ("clang-cl", "cc"),
        ("/r/evil", "cc"),
        ("", "cc"),
    ],
)
def test_only_compilers_whose_options_are_known_are_named(named: str, left: str) -> None:
    entry = {"directory": "/r", "file": "a.c", "arguments": [named, "a.c"]}
    assert json.loads(safe_database(json.dumps([entry]).encode()))[0]["arguments"] == [left, "a.c"]


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 5000, b"[1]", b'{"a": 1}'])
def test_what_is_no_compilation_database_is_an_empty_one(text: bytes) -> None:
    assert safe_database(text) == b"[]"


def test_clangd_is_given_a_made_database_where_there_is_none() -> None:
    [clangd] = C_SERVERS
    files = frozenset({"p/a.c", "p/src/b.cpp", "p/inc/x/h.h", "q/c.c", "p/readme.py"})
    found = configured(clangd, folder="/r/p", files=files)
    assert found.caveat == "there is no compile_commands.json: how the files are compiled is guessed"
    includes = ["-I/r/p", "-I/r/p/inc", "-I/r/p/inc/x"]
    assert json.loads(found.files["compile_commands.json"]) == [
        {"directory": "/r/p", "file": "/r/p/a.c", "arguments": ["cc", *includes, "-c", "/r/p/a.c"]},
        {"directory": "/r/p", "file": "/r/p/src/b.cpp", "arguments": ["c++", *includes, "-c", "/r/p/src/b.cpp"]},
    ]


def test_gopls_looks_into_the_vendor_folder_where_there_is_one_and_changes_no_go_mod() -> None:
    [gopls] = GO_SERVERS

    def asked(*files: str) -> Configured:
        return configured(gopls, folder="/r/p", read=lambda path: b"" if path in files else None, is_trusted=True)

    assert asked("/r/p/go.mod") == Configured(environment={"GOFLAGS": "-mod=readonly"})
    assert asked("/r/p/go.work").caveat == ""
    assert asked("/r/p/go.mod", "/r/p/vendor/modules.txt") == Configured(environment={"GOFLAGS": "-mod=vendor"})
    assert asked("/r/go.mod").caveat == "there is no go.mod: each file is looked at alone"


def test_gopls_compiles_no_c_of_a_repository_that_is_not_trusted_and_says_so() -> None:
    [gopls] = GO_SERVERS
    assert configured(gopls, read=lambda _path: b"") == Configured(
        environment={"GOFLAGS": "-mod=vendor", "CGO_ENABLED": "0"}
    )
    found = configured(gopls, read=lambda _path: b"", packages={"C", "fmt"})
    assert found.caveat == 'files that import "C" are left out until the repository is trusted (codemap trust)'
    assert configured(gopls, read=lambda _path: b"", packages={"C"}, is_trusted=True).caveat == ""
    assert gopls.environment["GOPACKAGESDRIVER"] == "off"


def test_phpactor_is_new_enough_to_ask_before_it_takes_settings_of_the_repository() -> None:
    [_, phpactor] = PHP_SERVERS
    assert phpactor.entry.version_min == (2025, 10, 17)


def test_jdtls_says_where_there_is_no_build_that_names_the_sources() -> None:
    [jdtls] = JAVA_SERVERS
    caveat = "there is no build file: uses in other packages may be missing"
    for name in ("pom.xml", "build.gradle", "settings.gradle.kts", ".classpath"):
        assert configured(jdtls, folder="/r/p", read={f"/r/p/{name}": b""}.get) == Configured()
        assert configured(jdtls, folder="/r/p", read={f"/r/{name}": b""}.get) == Configured(caveat=caveat)


def test_servers_that_go_by_names_never_count_as_complete() -> None:
    for server in RUBY_SERVERS:
        assert (
            configured(server).caveat == "where the type of a receiver is not known, it goes by the name of the method"
        )
        assert server.verifies == "none"


def test_ruby_lsp_is_given_a_bundle_so_that_it_makes_none_in_the_repository() -> None:
    [ruby_lsp, _] = RUBY_SERVERS
    assert (ruby_lsp.environment["BUNDLE_GEMFILE"], configured(ruby_lsp).files) == ("{state}/Gemfile", {"Gemfile": b""})


# -- source roots of Python -------------------------------------------------------------------------------------------


def roots(files: str, folder: str = "", **configs: str) -> tuple[str, ...]:
    contents = {path.replace("__", "/"): text.encode() for path, text in configs.items()}
    return source_roots(Project(frozenset(files.split()), contents), folder)


def test_the_roots_of_a_project_come_before_those_of_others() -> None:
    files = "src/top/__init__.py tests/test_a.py packages/b/pyproject.toml packages/b/src/b/__init__.py packages/b/x.py"
    assert roots(files) == ("", "src", "packages/b", "packages/b/src")
    assert roots(files, "packages/b") == ("packages/b", "packages/b/src", "", "src")


def test_roots_without_sources_are_left_out_but_for_the_projects_folder() -> None:
    assert roots("docs/setup.py lib/readme.txt") == ("", "docs")
    assert roots("") == ("",)


def test_a_foreign_root_does_not_hide_the_standard_library() -> None:
    files = "top.py examples/pyproject.toml examples/types.py examples/src/deep/x.py"
    assert roots(files) == ("", "examples/src")
    assert roots(files, "examples") == ("examples", "examples/src", "")
