"""The language server for Rust: rust-analyzer.

Even with build scripts and procedural macros off it runs cargo, which runs what `.cargo/config.toml` of the repository
names (`rustc-wrapper`); so it is used only where the user trusts the repository. Then both are on, as without them
answers are missing.

rustup puts a program of the same name on PATH whether or not the component is installed: only its version shows it.

Source: the rust-analyzer manual ("Configuration", "Security"), LSP extension `experimental/serverStatus`.
"""

from __future__ import annotations

from codemap.lsp.server import AfterStatus, Cancel, Companion, Entry, Server

RUST_ANALYZER = Server(
    name="rust-analyzer",
    entry=Entry(names=("rust-analyzer",), version_pattern=r"rust-analyzer (\d+(?:\.\d+)+)"),
    arguments=(),
    install="rustup component add rust-analyzer",
    language_ids={".rs": "rust"},
    initialization_options={
        "checkOnSave": False,
        "files": {"watcher": "client"},
        "numThreads": 2,
        "cachePriming": {"enable": False},
    },
    environment={"CARGO_NET_OFFLINE": "true", "RUSTUP_AUTO_INSTALL": "0", "CARGO_TARGET_DIR": "{state}/target"},
    readiness=AfterStatus("experimental/serverStatus", "quiescent"),
    cancel=Cancel.MESSAGE,
    in_flight_max=4,
    diagnoses_partly="rust-analyzer alone finds fewer errors than cargo check, which would run code of the repository",
    verifies="uncertain",
    start_s=60.0,
    ready_s=60.0,
    idle_stop_s=1800.0,
    memory_max_mb=4000,
    runs_project_code=True,
    root_markers=(("Cargo.lock",), ("Cargo.toml",)),
    searches_nested=False,
    config_files=("Cargo.toml", "Cargo.lock", "rust-project.json"),
    companions=(Companion(name="cargo", names=("cargo",), missing="it needs cargo"),),
)

SERVERS = (RUST_ANALYZER,)
