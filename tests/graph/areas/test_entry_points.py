"""Where programs are entered: main functions, what decorators register, tables of functions."""

from __future__ import annotations

from codemap.graph.areas.entry_points import Table, mains, registered, tables
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot


def made(sources: dict[str, str]) -> Snapshot:
    return build_snapshot({path: text.encode() for path, text in sources.items()})


def ids(snapshot: Snapshot, nodes: list[int]) -> list[str]:
    return [snapshot.id_of(node) for node in nodes]


def test_programs_begin_with_main_at_the_top_or_static() -> None:
    snapshot = made(
        {
            "cmd/x/main.go": "package main\n\nfunc main() {}\n",
            "src/App.java": "class App { public static void main(String[] args) {} void main() {} }\n",
            "src/tool.c": "int main(void);\n\nint main(void) { return 0; }\n",
            "tests/test_main.c": "int main(void) { return 0; }\n",
            "pkg/__main__.py": "def main(): ...\n",
            "pkg/other.py": "def main(): ...\n",
        }
    )
    assert ids(snapshot, mains(snapshot)) == [
        "go:cmd/x/main.go#main",
        "py:pkg/__main__.py",
        "java:src/App.java#App.main",
        "c:src/tool.c#main",
    ]


def test_one_program_a_file() -> None:
    snapshot = made({"a.c": "#ifdef X\nint main(void) { return 0; }\n#else\nint main(void) { return 1; }\n#endif\n"})
    assert ids(snapshot, mains(snapshot)) == ["c:a.c#main"]


def test_decorators_from_outside_register_what_they_stand_at() -> None:
    source = """
import click
from celery import shared_task
from flask import Blueprint

bp = Blueprint("x", __name__)


@bp.route("/")
def index(): ...


@bp.get("/a")
@cached
def a(): ...


@click.command()
def run(): ...


@shared_task
def work(): ...


@get
def no_member(): ...


def plain():
    bp.route("/")
"""
    snapshot = made({"app.py": source, "tests/test_app.py": source})
    found = [(snapshot.qualified_name_of(one.node), one.kind, one.by) for one in registered(snapshot)]
    assert found == [
        ("index", "routes", "route"),
        ("a", "routes", "get"),
        ("run", "commands", "command"),
        ("work", "tasks", "shared_task"),
    ]


def test_annotations_do_so_too() -> None:
    source = (
        "import org.springframework.web.bind.annotation.GetMapping;\n\nclass Owners {\n"
        '    @GetMapping("/owners")\n    String list() { return ""; }\n\n    String other() { return ""; }\n}\n'
    )
    snapshot = made({"src/main/java/x/Owners.java": source})
    assert [(snapshot.qualified_name_of(one.node), one.kind) for one in registered(snapshot)] == [
        ("Owners.list", "routes")
    ]


def test_a_table_lists_functions_of_other_files_without_calling_them() -> None:
    names = [f"view{number}" for number in range(6)]
    views = "".join(f"def {name}(): ...\n" for name in names)
    listed = ", ".join(f"views.{name}" for name in names)
    calls = ", ".join(f"views.{name}()" for name in names)
    snapshot = made(
        {
            "app/views.py": views + f"OWN = [{', '.join(names)}]\n",
            "app/urls.py": f"from app import views\n\nURLS = [{listed}]\nFEW = [views.view0]\nRESULTS = [{calls}]\n",
            "tests/urls.py": f"from app import views\n\nURLS = [{listed}]\n",
        }
    )
    urls = snapshot.find("py:app/urls.py#URLS")
    assert urls is not None
    assert tables(snapshot) == [Table(urls, 6)]


def test_imports_of_functions_list_none() -> None:
    names = [f"f{number}" for number in range(6)]
    snapshot = made(
        {
            "a/R.java": "package a; class R {" + " ".join(f"static void {name}() {{}}" for name in names) + "}",
            "b/M.java": "package b;\n" + "".join(f"import static a.R.{name};\n" for name in names),
            "app/pages.py": "".join(f"def {name}(): ...\n" for name in names),
            "app/urls.py": f"from app.pages import {', '.join(names)}\nprint({', '.join(names)})\n",
        }
    )
    assert [(snapshot.id_of(table.node), table.count) for table in tables(snapshot)] == [("py:app/urls.py", 6)]
