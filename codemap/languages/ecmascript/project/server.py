"""Language servers for TypeScript and JavaScript: TypeScript 7 itself, else typescript-language-server with TypeScript
6 or older.

TypeScript 7 is a native program that answers at once. It has dropped options that projects still state; where one of
them decides what a specifier means, the answers of the older compiler are the right ones.

Measured with TypeScript 7.0.2, and typescript-language-server 6.0.2 over TypeScript 6.0.3:
- Both install `@types` packages with npm when a project is opened, unless configured not to.
- TypeScript 7 exits when its input is closed, not on request; it panics when asked about a file whose ending it
  does not own.
- Of the options that 7 dropped, `baseUrl` leaves imports unresolved (the definition is then the import itself), and
  `moduleResolution` of `classic` and `node10` resolves by other rules; `target`, `module`, `outFile`,
  `downlevelIteration`, `esModuleInterop` and others change no answer.
- Both know a project once one of its files was asked about, and files without a project while they are open: before
  that, the uses of a name are those in its own project, and without one there are none.
- typescript-language-server takes the `tsserver.js` of the folder it serves, of `.yarn/sdks` and `.vscode/pnpify` too,
  which may have come with the repository, unless `tsserver.path` names one.
- Without `useSyntaxServer: never` it answers from one file until the project is loaded.
"""

from __future__ import annotations

from codemap.languages.ecmascript.project.removed import removed_option
from codemap.lsp.server import AfterProgress, Cancel, Companion, Entry, Immediate, Real, Server
from codemap.lsp.serving import Configured, Serving

LANGUAGE_IDS = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
}
_ENVIRONMENTS = ("node_modules/.bin",)
_PROJECTS = ("tsconfig.json", "jsconfig.json")
_CONFIG_FILES = ("tsconfig*.json", "jsconfig*.json", "package.json")
_TSSERVER = "tsserver"
_ROOT_MARKERS = (("package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"),)
"""What is installed together is one project. Which configuration governs a file, the servers find themselves."""


def _native(path: str) -> tuple[str, ...]:
    """The compiler of this platform, a package beside the one that its script belongs to."""
    if path.endswith("/lib/tsc") and "/@typescript/" in path:
        return (path.rpartition("/")[2],)
    native = "@typescript/typescript-*/lib/tsc"
    return (f"../../{native}", f"../node_modules/{native}", f"../typescript/../{native}", f"../{native}")


def _script(path: str) -> tuple[str, ...]:
    """Its script; package managers put a shell script of its name before it."""
    if path.endswith("/cli.mjs"):
        return ("cli.mjs",)
    inner = "typescript-language-server/lib/cli.mjs"
    return (f"../{inner}", f"../lib/node_modules/{inner}", f"../global/*/node_modules/{inner}")


def _configure(serving: Serving) -> Configured:
    return Configured(initialization_options={"tsserver": {"path": serving.companions[_TSSERVER]}})


TYPESCRIPT = Server(
    name="typescript",
    entry=Entry(names=("tsc",), environments=_ENVIRONMENTS, version_min=(7,), real_program=_native),
    arguments=("--lsp", "--stdio"),
    install="npm install --global typescript@7",
    language_ids=LANGUAGE_IDS,
    configuration={
        "js/ts": {"tsserver": {"automaticTypeAcquisition": {"enabled": False}}},
        "typescript": {"disableAutomaticTypeAcquisition": True},
        "javascript": {"disableAutomaticTypeAcquisition": True},
    },
    environment={"GOMEMLIMIT": "1500MiB", "GOMAXPROCS": "2"},
    open_max=100,
    projects=_PROJECTS,
    readiness=Immediate(),
    cancel=Cancel.MESSAGE,
    in_flight_max=4,
    verifies="all",
    idle_stop_s=300.0,
    root_markers=_ROOT_MARKERS,
    config_files=_CONFIG_FILES,
    unfit=removed_option,
)

TYPESCRIPT_LANGUAGE_SERVER = Server(
    name="typescript-language-server",
    entry=Entry(
        names=("typescript-language-server",),
        environments=_ENVIRONMENTS,
        version_min=(4,),
        real_program=_script,
        runtimes=("../../node/bin/node", "node"),
        real_runtime=Real(("-p", "process.execPath")),
    ),
    arguments=("--stdio",),
    install="npm install --global typescript-language-server typescript@6",
    language_ids=LANGUAGE_IDS,
    initialization_options={
        "hostInfo": "codemap",
        "disableAutomaticTypingAcquisition": True,
        "maxTsServerMemory": 1536,
        "tsserver": {"useSyntaxServer": "never", "logVerbosity": "off"},
    },
    opens=True,
    open_max=16,
    projects=_PROJECTS,
    readiness=AfterProgress(r"Initializing JS/TS language features", begins_within_s=5.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=1,
    verifies="uncertain",
    idle_stop_s=600.0,
    root_markers=_ROOT_MARKERS,
    config_files=_CONFIG_FILES,
    companions=(
        Companion(
            name=_TSSERVER,
            files=("node_modules/typescript/lib/tsserver.js",),
            beside=("../../typescript/lib/tsserver.js", "../node_modules/typescript/lib/tsserver.js"),
            missing="it needs typescript 6 or older beside it",
        ),
    ),
    configure=_configure,
)

SERVERS = (TYPESCRIPT, TYPESCRIPT_LANGUAGE_SERVER)
