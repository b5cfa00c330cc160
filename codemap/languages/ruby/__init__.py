"""Ruby: modules and classes that may be opened anywhere, mixins, and what their macros define."""

from codemap.languages.containers import Container, Containers
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.liveness import Liveness
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.parsing import Parsing, repair_in
from codemap.languages.ruby.builtins import (
    ABOVE,
    ARRAY,
    CONSTANTS,
    CONTAINER_METHODS,
    EVERY_CLASS,
    EVERY_OBJECT,
    EVERYWHERE,
    KERNEL,
    MEMBERS,
    OUTSIDE,
)
from codemap.languages.ruby.call_syntax import CALLS
from codemap.languages.ruby.complexity import COMPLEXITY
from codemap.languages.ruby.project.installed import package_of
from codemap.languages.ruby.project.modules import modules
from codemap.languages.ruby.project.packages import MANIFESTS, distributions, packages, published
from codemap.languages.ruby.project.runner import RUNNER
from codemap.languages.ruby.project.server import SERVERS
from codemap.languages.scopes import Scopes
from codemap.languages.writes import COMPOUND, Writes

LANGUAGE = Language(
    name="rb",
    title="Ruby",
    family="rb",
    suffixes=(".rb", ".rake", ".gemspec", ".ru", ".thor"),
    sigils=("@", "@@"),
    files=FileConventions(
        test_paths=("*_spec.rb", "*_test.rb", "test_*.rb", "/*/test/**", "/*/spec/**", "!/lib/**", "!/*/lib/**"),
        generated_paths=("*_pb.rb",),
    ),
    grammar=lambda _path: "ruby",
    extract=walk_in("codemap.languages.ruby.extract"),
    parsing=Parsing(repair=repair_in("codemap.languages.ruby.repair")),
    modules=modules,
    packaging=Packaging(
        manifests=MANIFESTS, packages=packages, publishes=published, distributions=distributions, package_of=package_of
    ),
    scopes=Scopes(
        builtins=CONSTANTS | {OUTSIDE} | ABOVE.keys(),
        everywhere=EVERYWHERE,
        exports_bindings=True,
        has_parts=True,
        sees="all",
        is_loaded_at_run_time=True,
        defines_in_blocks=True,
    ),
    outside=OutsideTypes(
        above=ABOVE, has_types=False, in_every_class=EVERY_CLASS | KERNEL, builtin_members=MEMBERS | EVERY_OBJECT
    ),
    names_encoding=True,
    has_open_parameters=True,
    has_overloads=True,
    binds_own_apart=True,
    constructors=("initialize",),
    protocols={"index": "[]"},
    containers=Containers(types={ARRAY: Container()}, methods=CONTAINER_METHODS),
    class_of=frozenset({"class"}),
    linearize="depth",
    writes=Writes(
        marks="@$",
        operators=("=", *COMPOUND, "**=", "&&=", "||="),
        others=("==", "=>", "=~"),
        before=(),
        several=("=",),
    ),
    complexity=COMPLEXITY,
    liveness=Liveness(
        runtime_names=r"[^\w].*|\w+=|method_missing|respond_to_missing\?|inherited|included|extended|prepended|method_added|const_missing",
        unnamed_calls=r"<=>|===|method_missing|respond_to_missing\?|inherited|included|extended|prepended|method_added|const_missing"
        r"|initialize_(?:copy|dup|clone)",
        contract_names=r"to_\w+|each|call|inspect|hash|eql\?|coerce|begin|end|size|length|marshal_\w+|encode_with|init_with|initialize_\w+|<=>|===?",
        loads_files=False,
        computed_names=r"\b(?:send|public_send|__send__|define_method|const_get|instance_variable_get|method|respond_to\?)\b",
        computed_members=r"\b(?:send|public_send|__send__)[ (]+(?![\"':])",
    ),
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
