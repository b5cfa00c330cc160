"""What says the truth of a repository, by name; kept under `.cache/accuracy/oracles` once it was asked."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from bench.accuracy.corpora import CACHE
from bench.accuracy.edges import Oracle
from bench.accuracy.languages.repositories import Place, Repository
from bench.accuracy.languages.symbols import Asked, server_oracle
from tests.system.eclipse import eclipse_project
from tests.system.servers import companions, programs

_SOURCES = ("edges.py", "lsp.py", "languages/lexical.py", "languages/symbols.py")


def oracle_of(name: str, repository: Repository, place: Place) -> Oracle:
    """What its oracle says, asked now where it was not yet. Raises TimeoutError, RuntimeError."""
    digest = hashlib.sha256(msgspec.json.encode(repository))
    for source in _SOURCES:
        digest.update((Path(__file__).parents[1] / source).read_bytes())
    digest.update(inspect.getsource(ORACLES[repository.oracle]).encode())
    kept = CACHE / "oracles" / f"{name}-{repository.version}-{digest.hexdigest()[:16]}.json"
    if not kept.exists():
        found = msgspec.json.encode(ORACLES[repository.oracle](place))
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(found)
    return msgspec.json.decode(kept.read_bytes(), type=Oracle)


def _gopls(place: Place) -> Oracle:
    go = companions("gopls")["go"]
    environment = {
        "GOPATH": str(place.installed / "usr/share/gocode"),
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "PATH": f"{go.parent}:{os.environ['PATH']}",
    }
    command = [str(programs("gopls") / "gopls"), "serve"]
    return server_oracle(place.root, Asked(_with(command, environment), "go", (".go",), "go", has_conversions=True))


def _jdtls(place: Place) -> Oracle:
    """The sources become a project of Eclipse in a folder of their own, with the jars of the packages beside them."""
    jars = sorted(str(jar) for jar in place.installed.glob("usr/share/java/*.jar"))
    java = companions("jdtls")["java"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        shutil.copytree(place.root, root)
        for name, text in eclipse_project("").items():
            libraries = "".join(f'  <classpathentry kind="lib" path="{jar}"/>\n' for jar in jars)
            (root / name).write_text(text.replace("</classpath>", f"{libraries}</classpath>"))
        command = [str(programs("jdtls") / "jdtls"), "-data", f"{folder}/data"]
        environment = {"PATH": f"{java.parent}:{os.environ['PATH']}"}
        return server_oracle(root, Asked(_with(command, environment), "java", (".java",), "java"))


def _with(command: list[str], environment: Mapping[str, str]) -> list[str]:
    return ["env", *(f"{name}={value}" for name, value in environment.items()), *command]


ORACLES: Mapping[str, Callable[[Place], Oracle]] = MappingProxyType({"gopls": _gopls, "jdtls": _jdtls})
