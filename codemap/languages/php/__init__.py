"""PHP, with namespaces, traits, enums, and the types that documentation states."""

from codemap.languages.containers import Container, Containers
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.liveness import Liveness
from codemap.languages.manifest import make_registrars
from codemap.languages.outside_types import OutsideTypes
from codemap.languages.packaging import Packaging
from codemap.languages.php.builtins import ARRAY, CONSTRUCTOR, MEMBERS, NAMES
from codemap.languages.php.call_syntax import CALLS
from codemap.languages.php.complexity import COMPLEXITY
from codemap.languages.php.project.composer import CONFIG_FILES
from codemap.languages.php.project.installed import package_of
from codemap.languages.php.project.modules import SUFFIXES, modules
from codemap.languages.php.project.packages import distributions, packages
from codemap.languages.php.project.runner import RUNNER
from codemap.languages.php.project.server import SERVERS
from codemap.languages.scopes import Scopes
from codemap.languages.writes import COMPOUND, STEPS, Writes

LANGUAGE = Language(
    name="php",
    title="PHP",
    family="php",
    suffixes=SUFFIXES,
    outside=OutsideTypes(calls_overrides=True, builtin_members=MEMBERS),
    asks_for_members=r".*\bfunction\b",
    sigils=("$",),
    files=FileConventions(test_paths=("*Test.php", "*TestCase.php", "!TestCase.php")),
    grammar=lambda _path: "php",
    extract=walk_in("codemap.languages.php.extract"),
    modules=modules,
    packaging=Packaging(
        config_files=CONFIG_FILES,
        packages=packages,
        distributions=distributions,
        shares_namespaces=True,
        package_of=package_of,
    ),
    entries=EntryPoints(
        registrars=make_registrars(
            routes="Route Get Post", commands="AsCommand", handlers="AsEventListener AsMessageHandler"
        )
    ),
    scopes=Scopes(
        builtins=NAMES | {ARRAY},
        exports_bindings=True,
        declares_packages=True,
        is_loaded_at_run_time=True,
        unbound_is_outside=True,
    ),
    types_are_values=False,
    has_named_arguments=True,
    constructors=(CONSTRUCTOR,),
    protocols={"iter": "getIterator", "next": "current", "index": "offsetGet", "call": "__invoke"},
    containers=Containers(types={ARRAY: Container()}, methods={"current": "element"}),
    self_types=frozenset({"static"}),
    linearize="depth",
    writes=Writes(marks="$", operators=("=", *COMPOUND, "**=", ".=", "??=", *STEPS), takers=("unset",)),
    complexity=COMPLEXITY,
    liveness=Liveness(
        runtime_names=r"__\w+",
        has_unnamed_attributes=True,
        unnamed_calls=r"__(?!construct\Z)\w+|offset(?:Get|Set|Exists|Unset)",
        contract_names=r"(?:get|set|is|has|scope|test|on|handle|boot|register|configure|execute|up|down)(?:[A-Z_]\w*)?",
        computed_names=r"\b(?:call_user_func\w*|method_exists|property_exists|func_get_args|constant|new\s+\$\w+)\b|->\$|::\$",
        computed_members=r"\$this->(?:\$|\{)|static::\$|self::\$",
    ),
    servers=SERVERS,
    runner=RUNNER,
    calls=CALLS,
)
