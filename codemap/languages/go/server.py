"""The language server for Go: gopls.

It asks `go list` what belongs together. It is told to download nothing and to change no `go.mod`.

Source: the gopls manual ("Settings"), `go help environment`; measured with gopls 0.11 and Go 1.27: a cancelled request
is answered with code 0, files that were not opened are answered about, and it is ready when the progress "Setting up
workspace" ends.
"""

from __future__ import annotations

from codemap.lsp.server import AfterProgress, Cancel, Companion, Entry, Server

GOPLS = Server(
    name="gopls",
    entry=Entry(names=("gopls",), version=("version",), version_pattern=r"v?(\d+(?:\.\d+)+)"),
    arguments=("serve",),
    install="go install golang.org/x/tools/gopls@latest",
    language_ids={".go": "go"},
    initialization_options={"hints": {}, "staticcheck": False, "completeUnimported": False},
    environment={
        "GOPROXY": "off",
        "GOFLAGS": "-mod=readonly",
        "GOTOOLCHAIN": "local",
        "GOTELEMETRY": "off",
        "GOMEMLIMIT": "1500MiB",
        "GOMAXPROCS": "2",
    },
    readiness=AfterProgress(r"Setting up workspace", begins_within_s=5.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=4,
    verifies="uncertain",
    start_s=30.0,
    ready_s=30.0,
    idle_stop_s=1800.0,
    root_markers=(("go.work",), ("go.mod",)),
    config_files=("go.mod", "go.work", "go.sum"),
    companions=(Companion(name="go", names=("go",), missing="it needs the go command"),),
)

SERVERS = (GOPLS,)
