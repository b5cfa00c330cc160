"""Where packages are entered, as an overview lists it."""

from __future__ import annotations

import json

from codemap.graph.build.build import build_snapshot
from codemap.languages.manifest import Package
from codemap.tools.overview.entries import DESCRIBED_MAX, FILES_MAX, entries_of, package_texts


def exports_of(parts: int) -> list[str]:
    exports = {".": "./dist/index.js", "./*": "./dist/*.js"}
    sources = {f"src/part{number}.ts": b"export const a = 1\n" for number in range(parts)}
    sources |= {"src/index.ts": b"export const b = 1\n", "src/deep/inner.ts": b"export const c = 1\n"}
    sources["package.json"] = json.dumps({"name": "shop", "exports": exports}).encode()
    return entries_of(build_snapshot(sources), "")["exports"]


def test_files_that_a_package_exports_by_a_pattern_follow_its_entry() -> None:
    assert exports_of(2) == ["src/index.ts", "src/part0.ts", "src/part1.ts", "src/deep/inner.ts"]


def test_of_many_the_rest_is_counted() -> None:
    found = exports_of(40)
    assert found[:2] == ["src/index.ts", "src/part0.ts"]
    assert found[-1] == f"{40 + 1 - FILES_MAX} more files"
    assert len(found) == 1 + FILES_MAX + 1


def test_packages_beside_one_another_say_what_each_is_for_where_they_are_few() -> None:
    some = [Package("cart", "cart/Cargo.toml", "What is " + "bought " * 20), Package("till", "till/Cargo.toml")]
    texts = package_texts([Package("shop", "Cargo.toml", "Sells."), *some], "", {})
    assert texts == {".": "shop: Sells.", "cart": texts["cart"], "*": "till"}
    assert texts["cart"].startswith("cart: What is bought")
    assert texts["cart"].endswith("…")
    many = [Package(f"p{number}", f"p{number}/Cargo.toml", "One.") for number in range(DESCRIBED_MAX + 1)]
    assert list(package_texts(many, "", {})) == ["*"]
