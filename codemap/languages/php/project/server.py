"""Language servers for PHP: Intelephense, else phpactor.

Intelephense is free for a person's own use with an editor, and keeps implementations and more for those who have paid;
it announces only what it has. Its licence allows no other use, automatic tests included, so it was not run here. It
has no option that prints a version: its `package.json` is asked whether Node runs at all.

phpactor takes settings from `.phpactor.json` and `.phpactor.yml` of the repository, which can name programs to be run,
only where the user has trusted the folder by its own command; before 2025.10.17 it took them always. Its index is kept
in the user's cache folder, and it loads the autoloader of the project unless configured not to.

Source: the documentation of Intelephense ("Initialisation options"), what it logs ("Indexing ended. 3 files indexed in
0s."); the documentation of phpactor ("Configuration"), which was not run here either.
"""

from __future__ import annotations

from codemap.lsp.server import AfterMessage, AfterProgress, Cancel, Companion, Entry, Real, Server

LANGUAGE_IDS = dict.fromkeys((".php", ".phtml", ".php5", ".php7", ".php8"), "php")
_ROOT_MARKERS = (("composer.lock",), ("composer.json",))
_CONFIG_FILES = ("composer.json", "composer.lock", "installed.json")


def _script(path: str) -> tuple[str, ...]:
    """Its script; package managers put a shell script of its name before it."""
    if path.endswith("/intelephense.js"):
        return ("intelephense.js",)
    inner = "intelephense/lib/intelephense.js"
    return (f"../{inner}", f"../lib/node_modules/{inner}", f"../global/*/node_modules/{inner}")


INTELEPHENSE = Server(
    name="intelephense",
    entry=Entry(
        names=("intelephense",),
        environments=("node_modules/.bin",),
        version=(),
        version_program="../package.json",
        version_pattern=r"()",
        real_program=_script,
        runtimes=("node",),
        real_runtime=Real(("-p", "process.execPath")),
    ),
    arguments=("--stdio",),
    install="npm install --global intelephense",
    language_ids=LANGUAGE_IDS,
    configuration={
        "intelephense": {
            "files": {"associations": [f"*{suffix}" for suffix in LANGUAGE_IDS]},
            "diagnostics": {"enable": False},
            "telemetry": {"enabled": False},
        }
    },
    environment={"TMPDIR": "{state}", "NODE_OPTIONS": "--max-old-space-size=1536"},
    opens=True,
    readiness=AfterMessage(r"^Indexing ended"),
    cancel=Cancel.MESSAGE,
    in_flight_max=1,
    verifies="uncertain",
    start_s=30.0,
    ready_s=60.0,
    root_markers=_ROOT_MARKERS,
    config_files=_CONFIG_FILES,
)

PHPACTOR = Server(
    name="phpactor",
    entry=Entry(names=("phpactor",), version_pattern=r"(\d+(?:\.\d+)+)", version_min=(2025, 10, 17)),
    arguments=("language-server",),
    install="install the package phpactor, or phpactor.phar from its releases",
    language_ids=LANGUAGE_IDS,
    initialization_options={
        "composer.enable": False,
        "language_server.diagnostics_on_open": False,
        "language_server.diagnostics_on_update": False,
        "language_server_configuration.auto_config": False,
    },
    environment={"XDG_CACHE_HOME": "{state}"},
    opens=True,
    readiness=AfterProgress(r"[Ii]ndexing", begins_within_s=5.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=1,
    verifies="uncertain",
    start_s=30.0,
    ready_s=60.0,
    root_markers=_ROOT_MARKERS,
    config_files=_CONFIG_FILES,
    companions=(Companion(name="php", names=("php",), missing="it needs PHP", real=Real(("-r", "echo PHP_BINARY;"))),),
)

SERVERS = (INTELEPHENSE, PHPACTOR)
