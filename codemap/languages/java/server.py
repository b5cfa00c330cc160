"""The language server for Java: Eclipse JDT Language Server.

It runs the project's Maven or Gradle build to learn the class path, so it is used only where the user trusts the
repository. What it makes of the project is in a folder of ours, not in the repository.

Its launcher is a Python script that becomes the Java process; it has no option that prints a version, so its help is
asked whether it runs at all, and its version stays unknown.

It writes filters into `.project` of an Eclipse project unless configured with none (measured).

Without a build that it knows it guesses where the sources are: measured with jdtls 1.59, definitions are then found
and uses in other packages are not, so its answers are called incomplete.

Source: the README of eclipse.jdt.ls ("Running from the command line"), its settings
(`java.import.generatesMetadataFilesAtProjectRoot`), its notification `language/status`.
"""

from __future__ import annotations

from codemap.lsp.server import AfterStatus, Cancel, Companion, Entry, Server
from codemap.lsp.serving import Configured, Serving

_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts", ".classpath")
_SETTINGS = ("settings.gradle", "settings.gradle.kts")


def _configure(serving: Serving) -> Configured:
    if any(serving.read(f"{serving.folder}/{name}") is not None for name in (*_BUILDS, *_SETTINGS)):
        return Configured()
    return Configured(caveat="there is no build file: uses in other packages may be missing")


JDTLS = Server(
    name="jdtls",
    entry=Entry(names=("jdtls",), version=("--help",), version_pattern=r"()"),
    arguments=("-data", "{state}", "--jvm-arg=-Xmx1536m", "--jvm-arg=-XX:+UseSerialGC"),
    install="install the package jdtls, or unpack it from https://download.eclipse.org/jdtls/milestones",
    language_ids={".java": "java"},
    initialization_options={
        "settings": {
            "java": {
                "autobuild": {"enabled": False},
                "import": {"generatesMetadataFilesAtProjectRoot": False},
                "configuration": {"updateBuildConfiguration": "disabled"},
                "project": {"resourceFilters": []},
                "eclipse": {"downloadSources": False},
                "maven": {"downloadSources": False},
            }
        },
        "extendedClientCapabilities": {"progressReportProvider": False},
    },
    configuration={"java": {"autobuild": {"enabled": False}, "project": {"resourceFilters": []}}},
    opens=True,
    readiness=AfterStatus("language/status", "type", "ServiceReady"),
    cancel=Cancel.MESSAGE,
    in_flight_max=2,
    verifies="uncertain",
    start_s=60.0,
    ready_s=120.0,
    idle_stop_s=1800.0,
    memory_max_mb=4000,
    runs_project_code=True,
    root_markers=(
        (*_SETTINGS, "gradlew", "mvnw"),
        _BUILDS,
    ),
    searches_nested=False,
    config_files=(*_BUILDS, *_SETTINGS),
    companions=(Companion(name="java", names=("java",), missing="it needs Java 21 or newer"),),
    configure=_configure,
)

SERVERS = (JDTLS,)
