"""Names of files that language servers cannot be told, or die of: one of them costs the other files nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import trio

from actors.messaging.messages import Lane
from codemap.live_queries import At, Because, Definition, Found, Missed, Outline, References
from codemap.lsp.server import Server
from tests.system.live import Asker, live

ODD = os.fsdecode(b"odd\xff")
SOURCES = {
    "py": "def alpha(): ...\n\n\nalpha()\n",
    "ts": "export function alpha() {}\n\n\nalpha();\n",
    "c": "int alpha(void) { return 1; }\n\nint beta(void) {\n  return alpha(); }\n",
}
SERVERS = {
    "ty": "py",
    "basedpyright": "py",
    "pyright": "py",
    "typescript": "ts",
    "typescript-language-server": "ts",
    "clangd": "c",
}


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).write_text(SOURCES[name.rpartition(".")[2]], encoding="utf-8")


async def assert_live(asker: Asker, file: str) -> None:
    """A file without an odd name has complete live answers."""
    found = await asker.value(Definition(At(file, 4, 10 if file.endswith(".c") else 1)))
    assert [place.line for place in found] == [1]


@pytest.mark.parametrize("server", SERVERS)
async def test_a_name_that_is_not_utf8_costs_nobody_an_answer(tmp_path: Path, server: str) -> None:
    end = SERVERS[server]
    good, odd = f"good.{end}", f"{ODD}.{end}"
    write(tmp_path, good, odd, f"{ODD}/inner.{end}")
    compiled = [{"directory": str(tmp_path), "file": good, "arguments": ["cc", "-c", good]}]
    (tmp_path / "compile_commands.json").write_text(json.dumps(compiled), encoding="utf-8")
    async with live(tmp_path, server) as asker:
        await assert_live(asker, good)
        fact = await asker.service.live(Outline(odd), Lane.FOREGROUND)
        if server == "clangd":
            assert isinstance(fact, Found)
            assert [named.name for named in fact.value] == ["alpha", "beta"]
        else:
            assert isinstance(fact, Missed)
            assert fact.because is Because.UNSUPPORTED
            assert "is not UTF-8" in fact.message
        for number in range(3):
            with (tmp_path / odd).open("a", encoding="utf-8") as file:
                file.write("\n" * number)
            await assert_live(asker, good)
        status = asker.service.live_status()[end]
        assert (status["state"], status["restarts"]) == ("ready", 0)


async def test_a_name_that_ends_ty_is_charged_with_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing were known of such names: ty 0.0.105 panics wherever it is told one."""
    monkeypatch.setattr(Server, "may_name", lambda _self, _path: True)
    good, odd = "good.py", f"{ODD}.py"
    write(tmp_path, good, odd)
    async with live(tmp_path, "ty") as asker:
        await assert_live(asker, good)
        for question in (Definition(At(odd, 4, 1)), References(At(odd, 4, 1)), Outline(odd)):
            fact = await asker.missed(question)
            assert fact.because is Because.FAILED
            assert "died twice" in fact.message
            await assert_live(asker, good)
        for number in range(8):
            with (tmp_path / odd).open("a", encoding="utf-8") as file:
                file.write("\n" * number)
            await assert_live(asker, good)
            await trio.sleep(0.05)
        status = asker.service.live_status()["py"]
        assert (status["state"], status["restarts"]) == ("ready", 2)
