"""Who leads to a definition: entries, tests, or nobody known."""

from __future__ import annotations

from codemap.findings.exposure import Exposure, Exposures
from codemap.graph.build.build import build_snapshot
from codemap.impact.steps import Tier

FILES = {
    "app/main.py": b"import app.late\nfrom app.base import Base\n\n\ndef main(x: Base):\n    x.go()\n    helper()\n\n\n"
    b"def helper():\n    pass\n\n\ndef lonely():\n    lonely_helper()\n\n\ndef lonely_helper():\n    pass\n",
    "app/base.py": b"class Base:\n    def go(self): ...\n\n\nclass Heir(Base):\n    def go(self):\n        deep()\n\n\n"
    b"def deep():\n    pass\n",
    "app/late.py": b"secret = open('x')\n",
    "app/never.py": b"secret = open('x')\n",
    "tests/test_main.py": b"from app.main import lonely_helper\nimport app.never\n\n\n"
    b"def test_it():\n    lonely_helper()\n",
}
SNAPSHOT = build_snapshot(FILES)


def node(text: str) -> int:
    found = SNAPSHOT.find(text)
    assert found is not None, text
    return found


EXPOSURES = Exposures(SNAPSHOT, {node("py:app/main.py#main"): "programs"})


def of(text: str) -> Exposure:
    return EXPOSURES.of(node(text))


def names(exposure: Exposure) -> list[str]:
    return [SNAPSHOT.id_of(one) for one in exposure.path]


def test_an_entry_is_its_own_way() -> None:
    found = of("py:app/main.py#main")
    assert (found.reached, found.entry, names(found)) == ("entry", "programs", ["py:app/main.py#main"])


def test_a_call_is_certain_and_an_override_likely() -> None:
    assert (of("py:app/main.py#helper").reached, of("py:app/main.py#helper").tier) == ("entry", Tier.CERTAIN)
    found = of("py:app/base.py#deep")
    assert (found.reached, found.tier) == ("entry", Tier.LIKELY)
    assert names(found) == [
        "py:app/main.py#main",
        "py:app/base.py#Base.go",
        "py:app/base.py#Heir.go",
        "py:app/base.py#deep",
    ]


def test_only_tests_or_nobody_lead_there() -> None:
    found = of("py:app/main.py#lonely_helper")
    assert (found.reached, names(found)[-1]) == ("tests", "py:app/main.py#lonely_helper")
    assert {SNAPSHOT.id_of(one) for one in found.callers} == {
        "py:app/main.py#lonely",
        "py:tests/test_main.py#test_it",
        "py:tests/test_main.py",
    } & {SNAPSHOT.id_of(one) for one in found.callers}
    assert SNAPSHOT.id_of(found.callers[0]) == "py:app/main.py#lonely", "product code first"
    assert of("py:app/main.py#lonely").reached == "none"


def test_what_stands_at_the_top_runs_with_the_import() -> None:
    assert (of("py:app/late.py#secret").reached, of("py:app/late.py").entry) == ("entry", "programs")
    assert of("py:app/never.py#secret").reached == "tests"
