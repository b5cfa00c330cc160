"""Maps of several roots: edges that leave a root, what links roots, and edits in any of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codemap.graph.build.build import build_snapshot, extracted
from codemap.graph.joined.join import join, join_version
from codemap.graph.joined.links import Names, linked_roots, names_of, published_twice
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.model.values import Confidence

LIBRARY = {
    "pyproject.toml": "[project]\nname = 'shop-store'\n",
    "src/shop/__init__.py": "from shop.store import Store, open_store\n",
    "src/shop/store.py": (
        "from shop.util import check\n\n"
        "class Store:\n    def put(self, item):\n        check(item)\n\n"
        "def open_store() -> Store:\n    return Store()\n"
    ),
    "src/shop/util.py": "def check(item):\n    return item\n",
    "tests/helpers.py": "def make():\n    pass\n",
}
USER = {
    "pyproject.toml": "[project]\nname = 'app'\n",
    "app/main.py": "import shop\n\ndef run():\n    shop.open_store().put(1)\n",
    "app/made.py": (
        "from shop import Store\n\nclass Mine(Store):\n    def put(self, item):\n        super().put(item)\n"
    ),
    "app/later.py": "from app.made import Mine\n\ndef late():\n    Mine().put(2)\n",
    "app/util.py": "import os\n\ndef check(item):\n    return os.getcwd()\n",
}
TYPES = {
    "package.json": '{"name": "@shop/store", "main": "dist/index.js"}',
    "src/index.ts": (
        "export class Store { put(item: string) {} }\nexport function open(): Store { return new Store() }\n"
    ),
}
TYPES_USER = {
    "package.json": '{"name": "app"}',
    "src/main.ts": "import { open } from '@shop/store'\nexport function run() { open().put('x') }\n",
}
MODULE = {
    "go.mod": "module example.com/shop/v2\n",
    "store/store.go": (
        "package store\n\ntype Store struct{}\n\nfunc (s *Store) Put(i int) {}\n\nfunc Open() *Store { return nil }\n"
    ),
}
MODULE_USER = {
    "go.mod": "module example.com/app\n\nrequire example.com/shop/v2 v2.1.0\n",
    "main.go": ('package main\n\nimport "example.com/shop/v2/store"\n\nfunc main() {\n\tstore.Open().Put(1)\n}\n'),
}

CRATE = {
    "Cargo.toml": "[workspace]\nmembers = ['store']\n",
    "store/Cargo.toml": "[package]\nname = 'shop-store'\nedition = '2021'\n",
    "store/src/lib.rs": (
        "pub struct Store;\n\nimpl Store {\n    pub fn put(&self, item: u8) {}\n}\n\n"
        "pub fn open() -> Store {\n    Store\n}\n\n#[macro_export]\nmacro_rules! check {\n    () => {};\n}\n"
    ),
}
CRATE_USER = {
    "Cargo.toml": "[package]\nname = 'app'\nedition = '2021'\n\n[dependencies]\n"
    "kept = { package = 'shop-store', path = '../shop/store' }\n",
    "src/main.rs": "use kept::open;\n\nfn main() {\n    open().put(1);\n    kept::check!();\n}\n",
}
ARTIFACT = {
    "pom.xml": "<project><groupId>org.shop</groupId><artifactId>shop</artifactId></project>",
    "store/pom.xml": (
        "<project><parent><groupId>org.shop</groupId><artifactId>shop</artifactId></parent>"
        "<artifactId>shop-store</artifactId></project>"
    ),
    "store/src/main/java/org/shop/Store.java": (
        "package org.shop;\n\npublic class Store {\n    public static Store open() { return new Store(); }\n"
        "    public void put(int item) {}\n}\n"
    ),
}
ARTIFACT_USER = {
    "pom.xml": (
        "<project><groupId>org.app</groupId><artifactId>app</artifactId><dependencies><dependency>"
        "<groupId>org.shop</groupId><artifactId>shop-store</artifactId></dependency></dependencies></project>"
    ),
    # A part of the library's own package, as projects of one house have it.
    "src/main/java/org/shop/Main.java": (
        "package org.shop;\n\nclass Main {\n    void run() { Store.open().put(1); }\n}\n"
    ),
}
COMPOSED = {
    "composer.json": '{"name": "Shop/Store", "autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/Store.php": (
        "<?php\nnamespace Shop;\n\nclass Store {\n    public static function open(): Store { return new Store(); }\n"
        "    public function put(int $item) {}\n}\n"
    ),
}
COMPOSED_USER = {
    "composer.json": '{"name": "app/app", "require": {"shop/store": "^1.0"}}',
    "src/main.php": "<?php\nnamespace App;\n\nuse Shop\\Store;\n\nfunction run() {\n    Store::open()->put(1);\n}\n",
}
PACKAGED = {
    "Store/Store.csproj": "<Project><PropertyGroup><PackageId>Shop.Store</PackageId></PropertyGroup></Project>",
    "Store/Store.cs": (
        "namespace Shop;\n\npublic class Store {\n    public static Store Open() => new Store();\n"
        "    public void Put(int item) {}\n}\n"
    ),
}
PACKAGED_USER = {
    "app.csproj": ('<Project><ItemGroup><PackageReference Include="shop.store" Version="1.0" /></ItemGroup></Project>'),
    "Main.cs": ("namespace Shop.App;\n\nusing Shop;\n\nclass Main {\n    void Run() { Store.Open().Put(1); }\n}\n"),
}
GEM = {
    "shop-store.gemspec": "Gem::Specification.new do |s|\n  s.name = 'shop-store'\nend\n",
    "lib/shop/store.rb": (
        "module Shop\n  class Store\n    def self.open\n      Store.new\n    end\n\n    def put(item)\n    end\n"
        "  end\nend\n"
    ),
}
GEM_USER = {
    "Gemfile": "source 'https://rubygems.org'\n\ngem 'shop-store', '~> 1.0'\n",
    "main.rb": "require 'shop/store'\n\ndef run\n  Shop::Store.open.put(1)\nend\n",
}


def built(files: Mapping[str, str]) -> Snapshot:
    return build_snapshot({path: text.encode() for path, text in files.items()})


def joined(asked: str, roots: Mapping[str, Snapshot], previous: Snapshot | None = None) -> Snapshot:
    names = {name: names_of(snapshot) for name, snapshot in roots.items()}
    return finish(join(asked, roots, names, previous))


def edges_between(snapshot: Snapshot) -> list[str]:
    """`source kind target confidence` of the resolved edges that leave a root."""
    table, found = snapshot.edges, []
    for row in range(len(table.source)):
        source, target = int(table.source[row]), int(table.target[row])
        if snapshot.is_external(target):
            continue
        places = [snapshot.row_of(node)[0].path for node in (source, target)]
        if places[0].startswith("@") != places[1].startswith("@"):
            kind, confidence = EdgeKind(int(table.kind[row])).name, Confidence(int(table.confidence[row])).name
            found.append(f"{snapshot.id_of(source)} {kind} {snapshot.id_of(target)} {confidence}".lower())
    return sorted(found)


def test_uses_of_a_library_in_another_root_are_edges() -> None:
    roots = {"lib": built(LIBRARY), "app": built(USER)}
    assert edges_between(joined("lib", roots)) == [
        "py:@app/app/made.py imports py:src/shop/__init__.py exact",
        "py:@app/app/made.py imports py:src/shop/store.py#store import",
        "py:@app/app/made.py#mine extends py:src/shop/store.py#store import",
        "py:@app/app/made.py#mine.put calls py:src/shop/store.py#store.put exact",
        "py:@app/app/main.py imports py:src/shop/__init__.py exact",
        "py:@app/app/main.py#run calls py:src/shop/store.py#open_store import",
        "py:@app/app/main.py#run calls py:src/shop/store.py#store.put type",
    ]


def test_the_paths_of_the_root_that_is_asked_are_its_own() -> None:
    roots = {"lib": built(LIBRARY), "app": built(USER)}
    from_app, from_lib = joined("app", roots), joined("lib", roots)
    assert "app/main.py" in from_app.by_path
    assert "@lib/src/shop/store.py" in from_app.by_path
    assert len(edges_between(from_app)) == len(edges_between(from_lib))
    assert from_app.external_node("py", "shop") is None
    assert from_app.external_node("py", "os") is not None


@pytest.mark.parametrize(
    ("library", "user", "called"),
    [
        (TYPES, TYPES_USER, ["ts:src/index.ts#open import", "ts:src/index.ts#store.put type"]),
        (MODULE, MODULE_USER, ["go:store/store.go#open import", "go:store/store.go#store.put type"]),
        (
            CRATE,
            CRATE_USER,
            [
                "rs:store/src/lib.rs#check! import",
                "rs:store/src/lib.rs#open import",
                "rs:store/src/lib.rs#store.put type",
            ],
        ),
        (
            ARTIFACT,
            ARTIFACT_USER,
            [
                "java:store/src/main/java/org/shop/store.java#store.open import",
                "java:store/src/main/java/org/shop/store.java#store.put type",
            ],
        ),
        (COMPOSED, COMPOSED_USER, ["php:src/store.php#store.open import", "php:src/store.php#store.put type"]),
        (
            PACKAGED,
            PACKAGED_USER,
            ["cs:store/store.cs#store.open import", "cs:store/store.cs#store.put type"],
        ),
        (GEM, GEM_USER, ["rb:lib/shop/store.rb#shop.store.open import", "rb:lib/shop/store.rb#shop.store.put type"]),
    ],
    ids=["ts", "go", "rs", "java", "php", "cs", "rb"],
)
def test_packages_of_other_languages_meet_by_their_names(
    library: Mapping[str, str], user: Mapping[str, str], called: list[str]
) -> None:
    found = edges_between(joined("lib", {"lib": built(library), "app": built(user)}))
    assert [edge.partition(" calls ")[2] for edge in found if " calls " in edge] == called


@pytest.mark.parametrize(
    ("library", "user"),
    [
        (CRATE, CRATE_USER),
        (ARTIFACT, ARTIFACT_USER),
        (COMPOSED, COMPOSED_USER),
        (PACKAGED, PACKAGED_USER),
        (GEM, GEM_USER),
    ],
    ids=["rs", "java", "php", "cs", "rb"],
)
def test_each_file_that_goes_and_comes_back_gives_the_map_of_the_contents(
    library: Mapping[str, str], user: Mapping[str, str]
) -> None:
    whole = {"lib": built(library), "app": built(user)}
    first = joined("app", whole)
    assert edges_between(first)
    for name, files in (("lib", library), ("app", user)):
        for path in files:
            less = {**whole, name: built({other: text for other, text in files.items() if other != path})}
            without = joined("app", less, first)
            assert edges_between(without) == edges_between(joined("app", less)), path
            assert edges_between(joined("app", whole, without)) == edges_between(first), path


@pytest.mark.parametrize(
    ("library", "user"), [(ARTIFACT, CRATE_USER), (COMPOSED, PACKAGED_USER), (GEM, COMPOSED_USER), (CRATE, GEM_USER)]
)
def test_roots_that_ask_for_nothing_of_each_other_are_not_linked(
    library: Mapping[str, str], user: Mapping[str, str]
) -> None:
    known = {"lib": names_of(built({**library, **MODULE_USER})), "app": names_of(built(user))}
    assert linked_roots("lib", known) == linked_roots("app", known) == []


def test_files_of_ones_own_root_are_nearer_than_those_of_others() -> None:
    """Both roots have a class of one name in one package, as copies of a library do."""
    copy = {"src/test/java/org/shop/Store.java": ARTIFACT["store/src/main/java/org/shop/Store.java"]}
    roots = {"lib": built(ARTIFACT), "app": built({**ARTIFACT_USER, **copy})}
    assert not edges_between(joined("app", roots))
    assert not edges_between(joined("lib", roots))


def test_what_is_not_published_is_nobody_elses() -> None:
    """A root without a name publishes nothing, and none publishes its tests; own modules come first."""
    nameless = {path: text for path, text in LIBRARY.items() if path != "pyproject.toml"}
    assert not names_of(built(nameless)).published
    assert names_of(built(LIBRARY)).published == {("py", "shop")}
    asking = {**USER, "app/more.py": "from tests.helpers import make\nfrom app.util import check\n"}
    roots = {"lib": built(LIBRARY), "app": built(asking)}
    assert not [edge for edge in edges_between(joined("lib", roots)) if "more.py" in edge]


@pytest.mark.parametrize(
    ("files", "published"),
    [
        ({"setup.cfg": "[metadata]\nname = six\n", "six.py": "x = 1\n", "helper.py": "x = 1\n"}, {"six"}),
        (
            {"setup.cfg": "[metadata]\nname = a\n", "a/__init__.py": "", "docs/__init__.py": "", "b/c.py": "x = 1\n"},
            {"a"},
        ),
        ({"setup.cfg": "[metadata]\nname = ns-a\n", "src/ns/a/__init__.py": "x = 1\n"}, {"ns"}),
        ({"setup.cfg": "[metadata]\nname = a\n", "src/a/__init__.py": "", "a_tool/__init__.py": ""}, {"a"}),
        ({"setup.cfg": "[metadata]\nname = enum\n", "enum/__init__.py": ""}, set[str]()),
        ({"examples/x/setup.cfg": "[metadata]\nname = a\n", "examples/x/a/__init__.py": ""}, set[str]()),
        ({"libs/x/setup.cfg": "[metadata]\nname = a\n", "libs/x/a/__init__.py": ""}, {"a"}),
    ],
)
def test_python_publishes_what_would_be_installed(files: Mapping[str, str], published: set[str]) -> None:
    assert {name for _, name in names_of(built(files)).published} == published


def names(published: str = "", used: str = "") -> Names:
    return Names(
        frozenset(("py", name) for name in published.split()), frozenset(("py", name) for name in used.split())
    )


def test_roots_are_linked_through_users_and_what_these_use() -> None:
    roots = {
        "jinja": names("jinja2", "markupsafe"),
        "flask": names("flask", "jinja2 werkzeug"),
        "werkzeug": names("werkzeug"),
        "site": names("", "flask"),
        "other": names("other", "werkzeug"),
        "apart": names("apart", "requests"),
    }
    assert linked_roots("jinja", roots) == ["flask", "werkzeug", "site"]
    assert linked_roots("werkzeug", roots) == ["jinja", "flask", "site", "other"]
    assert linked_roots("site", roots) == ["jinja", "flask", "werkzeug"]
    assert linked_roots("apart", roots) == []


def test_a_package_that_two_roots_publish_is_that_of_the_root_that_is_asked() -> None:
    roots = {"one": built(LIBRARY), "two": built(LIBRARY), "app": built(USER)}
    for asked in ("one", "two"):
        found = edges_between(joined(asked, roots))
        assert len([edge for edge in found if edge.startswith("py:@app/")]) == 7
    known = {name: names_of(snapshot) for name, snapshot in roots.items()}
    assert published_twice(known) == {"shop": ["one", "two"]}


def _edit(root: dict[str, str], path: str, text: str | None) -> dict[str, str]:
    kept = {name: old for name, old in root.items() if name != path}
    return kept if text is None else {**kept, path: text}


@pytest.mark.parametrize(
    ("root", "path", "text"),
    [
        ("lib", "src/shop/store.py", "def open_store():\n    return 1\n"),
        ("lib", "src/shop/extra.py", "def more():\n    pass\n"),
        ("lib", "src/shop/__init__.py", None),
        ("lib", "pyproject.toml", "[tool.x]\n"),
        ("app", "app/main.py", "from shop.extra import more\n\ndef run():\n    more()\n"),
        ("app", "app/later.py", None),
        ("app", "app/new.py", "from shop import open_store as o\n\nx = o()\n"),
    ],
)
def test_an_edit_in_any_root_gives_the_map_of_the_new_contents(root: str, path: str, text: str | None) -> None:
    files = {"lib": LIBRARY, "app": {**USER, "app/more.py": "from shop.extra import more\n\nmore()\n"}}
    before = {name: built(one) for name, one in files.items()}
    first = joined("lib", before)
    after = {**before, root: built(_edit(files[root], path, text))}
    again, anew = joined("lib", after, first), joined("lib", after)
    assert edges_between(again) == edges_between(anew)
    assert again.token.rstrip("+") == anew.token


def test_nothing_is_built_where_nothing_changed() -> None:
    roots = {"lib": built(LIBRARY), "app": built(USER)}
    first = joined("lib", roots)
    assert joined("lib", {**roots, "app": built(USER)}, first) is first


@pytest.mark.parametrize(
    ("library", "user", "path"),
    [
        (LIBRARY, USER, "src/shop/store.py"),
        (TYPES, TYPES_USER, "src/index.ts"),
        (MODULE, MODULE_USER, "store/store.go"),
        (CRATE, CRATE_USER, "store/src/lib.rs"),
        (ARTIFACT, ARTIFACT_USER, "store/src/main/java/org/shop/Store.java"),
        (COMPOSED, COMPOSED_USER, "src/Store.php"),
        (PACKAGED, PACKAGED_USER, "Store/Store.cs"),
        (GEM, GEM_USER, "lib/shop/store.rb"),
    ],
    ids=["py", "ts", "go", "rs", "java", "php", "cs", "rb"],
)
def test_a_version_of_a_root_is_joined_as_if_it_were_the_present_one(
    library: Mapping[str, str], user: Mapping[str, str], path: str
) -> None:
    now = joined("lib", {"lib": built(library), "app": built(user)})
    for name, text in ((path, library[path].replace("put", "set").replace("Put", "Set")), ("more" + path, "")):
        before = {**library, name: text}
        version = finish(join_version(now, {name: extracted(name, text.encode())}, frozenset(), now.configs))
        assert edges_between(version) == edges_between(joined("lib", {"lib": built(before), "app": built(user)}))
    without = finish(join_version(now, {}, {path}, now.configs))
    less = {other: text for other, text in library.items() if other != path}
    assert edges_between(without) == edges_between(joined("lib", {"lib": built(less), "app": built(user)}))
