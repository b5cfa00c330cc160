"""Hearts: what the rest of a repository leans on."""

from __future__ import annotations

import pytest

from codemap.graph.areas import hearts as hearts_module
from codemap.graph.areas.hearts import hearts_of
from codemap.graph.build.build import build_snapshot


def hearts(sources: dict[str, str]) -> list[str]:
    """Qualified names, the worthiest first."""
    snapshot = build_snapshot({path: text.encode() for path, text in sources.items()})
    return [snapshot.qualified_name_of(node) for node in hearts_of(snapshot).nodes.tolist()]


def users(line: str, count: int, folder: str = "app") -> dict[str, str]:
    return {
        f"{folder}/user{number}.py": f"from app.core import *\n\n\ndef use():\n    {line}\n" for number in range(count)
    }


def test_a_type_is_used_by_whoever_uses_its_members() -> None:
    core = "class Engine:\n    def start(self): ...\n    def stop(self): ...\n\n\ndef helper(): ...\n"
    sources = {
        "app/core.py": core,
        **users("Engine().start(); Engine.stop(None)", 3),
        **users("helper()", 3, "app/more"),
    }
    found = hearts(sources)
    assert found[0] == "Engine"
    assert "helper" in found
    assert not [name for name in found if name.startswith("Engine.")], "members are no hearts beside their type"


def test_files_count_and_not_uses() -> None:
    core = "def often(): ...\n\n\ndef widely(): ...\n"
    once = {"app/loop.py": "from app.core import often\n\n\ndef f():\n" + "    often()\n" * 50}
    found = hearts({"app/core.py": core, **once, **users("widely()", 5)})
    assert found.index("widely") < found.index("often")


def test_tests_count_little_and_are_no_reason() -> None:
    core = "def eq_(): ...\n\n\ndef real(): ...\n"
    found = hearts({"app/core.py": core, **users("eq_()", 12, "tests"), **users("real()", 4)})
    assert found.index("real") < found.index("eq_")


def test_dunders_are_none_and_exceptions_private_names_and_constants_come_after_the_rest() -> None:
    core = (
        "__version__ = '1'\nLIMIT = 1\n\n\nclass ParseError(Exception): ...\n\n\n"
        "class _Hidden: ...\n\n\nclass Shown: ...\n"
    )
    line = "(__version__, LIMIT, ParseError, _Hidden, Shown)"
    text = "from app.core import __version__, LIMIT, ParseError, _Hidden, Shown\n\n\ndef use():\n    return "
    found = hearts({"app/core.py": core, **{f"app/u{number}.py": text + line + "\n" for number in range(4)}})
    ours = [name for name in found if name != "use"]
    assert ours[0] == "Shown"
    assert set(ours[1:]) == {"LIMIT", "ParseError", "_Hidden"}


def test_what_its_file_is_named_after_comes_first_among_equals() -> None:
    core = "class Other: ...\n\n\nclass Scheduler: ...\n"
    text = "from app.scheduler import Other, Scheduler\n\n\ndef use():\n    return Other, Scheduler\n"
    found = hearts({"app/scheduler.py": core, **{f"app/u{number}.py": text for number in range(3)}})
    assert found[:2] == ["Scheduler", "Other"]


def test_what_brings_the_parts_together_is_one_though_little_calls_it() -> None:
    parts = {f"app/part{number}.py": f"class Part{number}: ...\n" for number in range(8)}
    lines = [f"from app.part{number} import Part{number}" for number in range(8)]
    lines += [
        "",
        "",
        "class Application:",
        "    def run(self):",
        f"        {'; '.join(f'Part{n}()' for n in range(8))}",
    ]
    assert hearts({**parts, "app/application.py": "\n".join(lines) + "\n"})[0] == "Application"


def test_members_that_stand_apart_count_for_their_type() -> None:
    sources = {
        "engine.go": "package x\n\ntype Engine struct{}\n",
        "run.go": "package x\n\nfunc (e *Engine) Run() {}\n",
        **{f"u{n}.go": f"package x\n\nfunc use{n}(e *Engine) {{ e.Run() }}\n" for n in range(3)},
    }
    assert hearts(sources)[0] == "Engine"


def test_types_in_namespaces_are_hearts_and_types_in_types_come_after_them() -> None:
    header = "namespace x {\nclass Outer {\n public:\n  class Inner {};\n  void run();\n};\n}\n"
    user = '#include "outer.h"\n\nvoid use{n}(x::Outer& o, x::Outer::Inner& i) {{ o.run(); }}\n'
    found = hearts({"outer.h": header, **{f"u{n}.cpp": user.format(n=n) for n in range(3)}})
    assert found[:2] == ["x.Outer", "x.Outer.Inner"]


def test_the_tests_inside_a_file_hold_no_hearts() -> None:
    lines = [
        "pub fn real() {}",
        "#[cfg(test)]",
        "mod tests {",
        "    use super::*;",
        "    fn helper() { real(); }",
        "    #[test]",
        "    fn it() { helper(); }",
        "}",
        "",
    ]
    assert hearts({"src/lib.rs": "\n".join(lines)}) == ["real"]


def test_an_empty_repository_has_none() -> None:
    assert hearts({}) == []


def test_in_a_huge_repository_only_the_names_of_the_worthiest_count(monkeypatch: pytest.MonkeyPatch) -> None:
    core = "class Used: ...\n\n\nclass _Hidden: ...\n\n\nclass Shown: ...\n"
    sources = {"app/core.py": core, **users("Used", 4)}
    assert hearts(sources).index("Shown") < hearts(sources).index("_Hidden")
    monkeypatch.setattr(hearts_module, "NAMED_MAX", 1)
    assert hearts(sources).index("_Hidden") < hearts(sources).index("Shown"), "neither name is looked at"
    assert hearts(sources)[0] == "Used"
