"""The language server for C#: csharp-ls, Roslyn behind the protocol.

It has MSBuild evaluate the projects of a solution, which runs what they and the packages they name say, and may write
below their `obj`; so it is used only where the user trusts the repository. It restores no packages: what is missing
there stays unresolved.

Source: the README of csharp-language-server and its progress reports; it was not run here.
"""

from __future__ import annotations

from codemap.lsp.server import AfterProgress, Cancel, Companion, Entry, Server

CSHARP_LS = Server(
    name="csharp-ls",
    entry=Entry(names=("csharp-ls",)),
    arguments=("--loglevel", "warning"),
    install="dotnet tool install --global csharp-ls",
    language_ids={".cs": "csharp"},
    opens=True,
    environment={"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "MSBUILDDISABLENODEREUSE": "1"},
    readiness=AfterProgress(r"^Loading ", begins_within_s=10.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=2,
    verifies="uncertain",
    start_s=60.0,
    ready_s=120.0,
    idle_stop_s=1800.0,
    memory_max_mb=4000,
    runs_project_code=True,
    config_files=("*.sln", "*.slnx", "*.csproj", "Directory.*.props", "Directory.*.targets", "global.json"),
    companions=(Companion(name="dotnet", names=("dotnet",), missing="it needs the .NET SDK"),),
)

SERVERS = (CSHARP_LS,)
