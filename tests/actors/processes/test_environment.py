"""The variables of programs: what would have them load code from a root is left out, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.files.paths import passes_through
from actors.processes.environment import outside

ROOT = "/somewhere/root"


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("PATH", f"/bin:{ROOT}/bin:bin:.::/usr/bin", "/bin:/usr/bin"),
        ("PATH", f"{ROOT}:tools", None),
        ("PATH", f"{ROOT}s:{ROOT}/../tools:/x/..{ROOT}/a", f"{ROOT}s:{ROOT}/../tools"),
        ("PYTHONPATH", ".", None),
        ("PYTHONPATH", "/opt/lib:src", "/opt/lib"),
        ("LD_LIBRARY_PATH", ":/opt/lib", "/opt/lib"),
        ("NODE_OPTIONS", "--max-old-space-size=100", None),
        ("PYTHONWARNINGS", "ignore::evil.Warning", None),
        ("CC", f"{ROOT}/cc", None),
        ("CC", "ccache gcc", "ccache gcc"),
        ("CFLAGS", f"-O2 -fplugin={ROOT}/evil.so", None),
        ("FOREIGN", "a=/opt/a,b=/opt/b", "a=/opt/a,b=/opt/b"),
        ("TOOL", "./tool", None),
        ("TOOL", "wrap ../tool", None),
        ("HOME", ROOT, ROOT),
        ("VIRTUAL_ENV", f"{ROOT}/.venv", f"{ROOT}/.venv"),
        ("PS1", r"\u:\w$ ", r"\u:\w$ "),
        ("LS_COLORS", "*.py=01;31", "*.py=01;31"),
        ("EMPTY", "", ""),
    ],
)
def test_what_leads_into_the_root_is_left_out(name: str, value: str, kept: str | None) -> None:
    assert outside(ROOT, {name: value}).get(name) == kept


def test_links_are_followed_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tree"
    for folder in ("tree/env/bin", "elsewhere/bin", "beside"):
        (tmp_path / folder).mkdir(parents=True)
    links = {
        "into": "tree/env",
        "tree/out": "../elsewhere",
        "round": "tree/out",
        "beside/up": "../elsewhere",
        "loop": "loop",
    }
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    passing = ["into/bin", "tree/out/bin", "round/bin/lark", "tree", "tree/../tree/env", "loop/x", "into/../env"]
    clear = ["beside/up/bin", "elsewhere/bin", "tree/../elsewhere", "trees", "gone/x"]
    for path in (*passing, *clear):
        assert passes_through(str(root), f"{tmp_path}/{path}") == (path in passing), path
    assert not passes_through(str(root), f"{root}/env/bin/lark", [f"{root}/env/bin"])
    assert passes_through(str(root), f"{root}/env/lib/lark", [f"{root}/env/bin"])
    monkeypatch.chdir(root)
    assert passes_through(str(root), "/proc/self/cwd/env")
