"""What an overview says of a repository with many packages."""

from __future__ import annotations

from codemap.graph.build.build import build_snapshot
from codemap.tools.overview.digest import digest_of
from codemap.tools.overview.folded_paths import ALIKE_MIN, FEW, Listed, fold
from codemap.tools.overview.parts import parts_of
from codemap.tools.params import MapListParams


def entries(*paths: str) -> list[Listed]:
    return [Listed(f"{path} 1", path, path.split("/")[1]) for path in paths]


def test_entries_with_paths_alike_are_one_text() -> None:
    several = entries(*(f"crates/{name}/src/lib.rs" for name in "abcdefgh"), "src/main.rs")
    assert fold(several, 2) == ["crates/*/src/lib.rs: a, b and 6 more", "src/main.rs 1"]


def test_files_of_one_folder_are_alike() -> None:
    several = [Listed(name, f"bin/{name}.rs", name) for name in "abcdefghi"]
    assert fold(several, 20) == ["bin/*.rs: a, b, c, d, e, f, g, h, i"]


def test_few_entries_are_listed_one_by_one() -> None:
    several = entries(*(f"crates/{number}/src/lib.rs" for number in range(FEW)))
    assert fold(several, 2) == [entry.text for entry in several]
    others = entries(*(f"{number}/{number}/{number}.rs" for number in range(FEW + 1)))
    assert fold(others, 2) == [entry.text for entry in others], f"fewer than {ALIKE_MIN} are alike"


def test_packages_that_an_area_has_in_common_are_in_no_circle_through_it() -> None:
    """`base` is used by `middle`, which `top` uses: that `base` and `top` lie in one area ties nothing together."""
    manifest = '[package]\nname = "{}"\n[dependencies]\n{}\n'
    needs = {"base": "", "top": 'middle = {path = "../middle"}', "middle": 'base = {path = "../base"}'}
    sources = {f"{name}/Cargo.toml": manifest.format(name, need).encode() for name, need in needs.items()}
    sources["Cargo.toml"] = b'[workspace]\nmembers = ["base", "middle", "top"]\n'
    sources["base/src/lib.rs"] = "".join(f"pub fn b{at}() {{}}\n" for at in range(4)).encode()
    for at in range(20):
        calls = "".join(f"    base::b{one}();\n" for one in range(4))
        sources[f"middle/src/m{at}.rs"] = f"pub fn m{at}() {{\n{calls}}}\n".encode()
    sources["middle/src/lib.rs"] = "".join(f"pub mod m{at};\n" for at in range(20)).encode()
    uses = "".join(f"    middle::m{at}::m{at}();\n" for at in range(4))
    sources["top/src/lib.rs"] = f"pub fn t() {{\n{uses}}}\n".encode()
    snapshot = build_snapshot(sources)
    parts = parts_of(snapshot, "", MapListParams())
    digest = digest_of(snapshot, parts, "")
    assert [dict(area.uses) for area in digest.areas] == [{"base, top": 80}, {"src": 4}], "two that use each other"
    assert digest.circles == ()


def test_packages_say_which_others_they_use() -> None:
    sources = {"package.json": b'{"name": "root", "workspaces": ["packages/*"]}'}
    for name, imports in (("app", ("@x/core", "@x/util")), ("core", ("@x/util",)), ("util", ())):
        about = f'{{"name": "@x/{name}", "description": "The {name}", "main": "src/index.ts"}}'
        sources[f"packages/{name}/package.json"] = about.encode()
        lines = [f'import {{ {one[3:]} }} from "{one}";' for one in imports]
        calls = "".join(f"  {one[3:]}();\n" for one in imports)
        text = "\n".join([*lines, f"export function {name}() {{\n{calls}}}", ""])
        sources[f"packages/{name}/src/index.ts"] = text.encode()
    snapshot = build_snapshot(sources)
    digest = digest_of(snapshot, parts_of(snapshot, "", MapListParams()), "")
    texts = {folder: text for folder, text in digest.packages.items() if folder != "."}
    assert texts == {
        "packages/app": "@x/app: The app; uses core, util",
        "packages/core": "@x/core: The core; uses util",
        "packages/util": "@x/util: The util",
    }
