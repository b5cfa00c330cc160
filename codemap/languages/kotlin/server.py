"""The language server for Kotlin: kotlin-lsp, IntelliJ behind the protocol.

It imports the project's Gradle or Maven build, which runs it, and Gradle fetches what it names; so it is used only
where the user trusts the repository. Its indexes are in a folder of ours.

Its launcher is a shell script that becomes the Java process; it has no option known to print a version in all its
releases, so its help is asked whether it runs at all.

Source: the README of kotlin-lsp and its release notes; it was not run here.
"""

from __future__ import annotations

from codemap.lsp.server import AfterProgress, Cancel, Entry, Server

KOTLIN_LSP = Server(
    name="kotlin-lsp",
    entry=Entry(names=("kotlin-lsp", "kotlin-lsp.sh"), version=("--help",), version_pattern=r"()"),
    arguments=("--stdio", "--system-path={state}"),
    install="brew install JetBrains/utils/kotlin-lsp",
    language_ids={".kt": "kotlin", ".kts": "kotlin"},
    opens=True,
    readiness=AfterProgress(r"", begins_within_s=10.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=2,
    verifies="uncertain",
    start_s=60.0,
    ready_s=120.0,
    idle_stop_s=1800.0,
    memory_max_mb=4000,
    runs_project_code=True,
    root_markers=(
        ("settings.gradle", "settings.gradle.kts", "gradlew", "mvnw"),
        ("pom.xml", "build.gradle", "build.gradle.kts", "workspace.json"),
    ),
    searches_nested=False,
    config_files=(
        *("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
        "workspace.json",
    ),
)

SERVERS = (KOTLIN_LSP,)
