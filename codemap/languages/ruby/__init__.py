"""Ruby: modules and classes that may be opened anywhere, mixins, and what their macros define."""

from codemap.languages.language import Container, Language, walk_in
from codemap.languages.ruby.builtins import ARRAY, CONSTANTS, CONTAINER_METHODS, EVERY_CLASS, KERNEL, MEMBERS, OUTSIDE
from codemap.languages.ruby.call_syntax import CALLS
from codemap.languages.ruby.complexity import COMPLEXITY
from codemap.languages.ruby.project.installed import package_of
from codemap.languages.ruby.project.modules import modules
from codemap.languages.ruby.project.packages import MANIFESTS, packages
from codemap.languages.ruby.project.runner import RUNNER
from codemap.languages.ruby.project.server import SERVERS

LANGUAGE = Language(
    name="rb",
    title="Ruby",
    family="rb",
    suffixes=(".rb", ".rake", ".gemspec", ".ru"),
    test_paths=("*_spec.rb", "*_test.rb", "test_*.rb", "/*/test/**", "/*/spec/**"),
    generated_paths=("*_pb.rb",),
    grammar=lambda _path: "ruby",
    extract=walk_in("codemap.languages.ruby.extract"),
    modules=modules,
    manifests=MANIFESTS,
    packages=packages,
    builtins=CONSTANTS | {OUTSIDE},
    names_encoding=True,
    exports_bindings=True,
    has_parts=True,
    sees="all",
    is_loaded_at_run_time=True,
    has_overloads=True,
    constructors=("initialize",),
    in_every_class=EVERY_CLASS | KERNEL,
    protocols={"index": "[]"},
    containers={ARRAY: Container()},
    container_methods=CONTAINER_METHODS,
    builtin_members=MEMBERS,
    class_of=frozenset({"class"}),
    linearize="depth",
    package_of=package_of,
    complexity=COMPLEXITY,
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
