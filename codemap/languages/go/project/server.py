"""The language server for Go: gopls.

It asks `go list` what belongs together. It is configured to fetch nothing, from wherever the user's own settings have
it fetched (`GOPRIVATE` goes past `GOPROXY`), and to change no `go.mod`. That is said by `-mod=readonly`, which hides
the `vendor` folder from it: where a project has one, `-mod=vendor` says as much.

To know a package with C in it, the go command compiles and links that C (measured), with flags of the repository; so it
is configured to leave such files out where the repository is not trusted. No driver that lists packages in its place is
started either: Bazel's runs the build.

Source: the gopls manual ("Settings"), `go help environment`, the Go modules reference ("Vendoring", "Private
modules"); measured with gopls 0.11 and Go 1.19 and 1.27:
- It looks for the go command on its search path, and knows nothing without one.
- Without a `go.mod` it knows each file alone, whatever `GO111MODULE` says, and finds nothing in the others.
- A file that no build has (`//go:build`) is refused; a cancelled request is answered with code 0.
- Files that were not opened are answered about, and it is ready when the progress "Setting up workspace" ends.
"""

from __future__ import annotations

from codemap.lsp.server import AfterProgress, Cancel, Companion, Entry, PushedOnRequest, Real, Server
from codemap.lsp.serving import Configured, Serving


def _configure(serving: Serving) -> Configured:
    mod = "vendor" if _has(serving, "vendor/modules.txt") else "readonly"
    is_module = _has(serving, "go.mod") or _has(serving, "go.work")
    doubts = [] if is_module else ["there is no go.mod: each file is looked at alone"]
    environment = {"GOFLAGS": f"-mod={mod}"}
    if not serving.is_trusted:
        environment["CGO_ENABLED"] = "0"
        if _CGO in serving.packages:
            doubts.append(f'files that import "{_CGO}" are left out until the repository is trusted (codemap trust)')
    return Configured(environment=environment, caveat="; ".join(doubts))


_CGO = "C"


def _has(serving: Serving, path: str) -> bool:
    return serving.read(f"{serving.folder}/{path}") is not None


GOPLS = Server(
    name="gopls",
    entry=Entry(names=("gopls",), version=("version",), version_pattern=r"v(\d+(?:\.\d+)+)"),
    arguments=("serve",),
    install="go install golang.org/x/tools/gopls@latest",
    language_ids={".go": "go"},
    initialization_options={
        "hints": {},
        "staticcheck": False,
        "completeUnimported": False,
        "symbolMatcher": "CaseInsensitive",
    },
    environment={
        "GOPROXY": "off",
        "GONOPROXY": "none",
        "GOVCS": "*:off",
        "GOTOOLCHAIN": "local",
        "GOTELEMETRY": "off",
        "GOPACKAGESDRIVER": "off",
        "GOMEMLIMIT": "1500MiB",
        "GOMAXPROCS": "2",
    },
    readiness=AfterProgress(r"Setting up workspace", begins_within_s=5.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=4,
    diagnosing=PushedOnRequest("gopls/diagnoseFiles"),
    verifies="uncertain",
    start_s=30.0,
    ready_s=30.0,
    idle_stop_s=1800.0,
    root_markers=(("go.work",), ("go.mod",)),
    searches_nested=False,
    config_files=("go.mod", "go.work", "go.sum"),
    companions=(
        Companion(
            name="go", names=("go",), missing="it needs the go command", real=Real(("env", "GOROOT"), inner="bin/go")
        ),
    ),
    configure=_configure,
)

SERVERS = (GOPLS,)
