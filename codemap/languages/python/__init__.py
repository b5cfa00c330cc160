"""Python, versions 3.9 to 3.14, and its stub files."""

from codemap.languages.containers import Containers
from codemap.languages.document_examples import DocumentExamples
from codemap.languages.entry_points import EntryPoints
from codemap.languages.file_conventions import FileConventions
from codemap.languages.language import Language, walk_in
from codemap.languages.layout import Layout
from codemap.languages.manifest import make_registrars
from codemap.languages.names_in_strings import NamesInStrings
from codemap.languages.outside_types import OutsideTypes, outside_members_in
from codemap.languages.packaging import Packaging
from codemap.languages.python.builtins import (
    BUILTIN_MEMBERS,
    BUILTINS,
    CASTS,
    CONTAINER_METHODS,
    CONTAINER_STORES,
    CONTAINERS,
    ELEMENTWISE,
    FORWARDERS,
    HELD_ERRORS,
    MEMBER_ACCESS,
    MEMBERLESS,
    OPAQUE_TYPES,
    OPEN_TYPES,
    PLAIN_TYPES,
    PROTOCOLS,
    PUBLIC_NAMES,
    REPEATS,
    SELF_TYPES,
    TRANSPARENT,
    TYPE_OF,
)
from codemap.languages.python.call_syntax import CALLS
from codemap.languages.python.complexity import COMPLEXITY
from codemap.languages.python.project.installed import package_of
from codemap.languages.python.project.liveness import LIVENESS
from codemap.languages.python.project.modules import CONFIG_FILES, modules
from codemap.languages.python.project.packages import MANIFESTS, packages
from codemap.languages.python.project.published import published
from codemap.languages.python.project.runner import INJECTION, RUNNER
from codemap.languages.python.project.server import SERVERS
from codemap.languages.scopes import Scopes
from codemap.languages.server_texts import ServerTexts
from codemap.languages.writes import COMPOUND, TYPE_BEHIND, Writes

LANGUAGE = Language(
    name="py",
    title="Python",
    family="py",
    suffixes=(".py", ".pyi"),
    files=FileConventions(
        test_paths=("test_*.py", "*_test.py", "*_tests.py", "tests.py", "conftest.py", "test/*-test.py"),
        generated_paths=("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi"),
        stub_suffix=".pyi",
        stub_package="-stubs",
        package_file="__init__",
    ),
    grammar=lambda _path: "python",
    extract=walk_in("codemap.languages.python.extract"),
    modules=modules,
    packaging=Packaging(
        config_files=CONFIG_FILES, manifests=MANIFESTS, packages=packages, publishes=published, package_of=package_of
    ),
    entries=EntryPoints(
        registrars=make_registrars(
            routes=".route .get .post .put .delete .patch .head .options .websocket .api_route api_view",
            commands="command group",
            tasks=".task shared_task .periodic_task .scheduled_job",
            handlers=".on_event receiver .listens_for .errorhandler .exception_handler",
        ),
        files=frozenset({"__main__.py", "manage.py"}),
    ),
    scopes=Scopes(builtins=BUILTINS, exports_bindings=True, private_prefix="_", hides_locals=True),
    has_docstrings=True,
    names_encoding=True,
    outside=OutsideTypes(
        members=outside_members_in("codemap.languages.python.project.library_members"),
        public_names=PUBLIC_NAMES,
        calls_overrides=True,
        memberless=MEMBERLESS,
        transparent=TRANSPARENT,
        opaque_types=OPAQUE_TYPES,
        open_types=OPEN_TYPES,
        plain_types=PLAIN_TYPES,
        casts=CASTS,
        class_makers={"type": 1, "new_class": 1},
        type_variables=frozenset({"TypeVar"}),
        parameter_lists=frozenset({"Generic", "Protocol"}),
        type_of=TYPE_OF,
        builtin_members=BUILTIN_MEMBERS,
        held_errors=HELD_ERRORS,
        forwarders=FORWARDERS,
    ),
    fields_override=True,
    has_open_parameters=True,
    holds_functions=True,
    constructors=("__init__", "__new__"),
    protocols=PROTOCOLS,
    repeats=REPEATS,
    elementwise=ELEMENTWISE,
    containers=Containers(
        types=CONTAINERS,
        slices=frozenset({"slice"}),
        tuple_bases=frozenset({"NamedTuple"}),
        methods=CONTAINER_METHODS,
        stores=CONTAINER_STORES,
    ),
    allocators=("__new__",),
    class_of=frozenset({"__class__"}),
    self_types=SELF_TYPES,
    layout=Layout(
        transparent=frozenset({"parenthesized_expression"}),
        optional=frozenset({"(", ")", ";"}),
        alike={"expression_list": "tuple", "pattern_list": "tuple", "tuple_pattern": "tuple"},
        documented=frozenset({"block", "module"}),
    ),
    writes=Writes(
        operators=("=", ":=", *COMPOUND, "//=", "**=", "@="), before=("del",), several=("=",), behind_name=TYPE_BEHIND
    ),
    complexity=COMPLEXITY,
    liveness=LIVENESS,
    servers=SERVERS,
    runner=RUNNER,
    injection=INJECTION,
    examples=DocumentExamples(
        runners=frozenset({"doctest", "doctest_plus", "doctest_rst", "manuel", "sybil"}),
        runs=(
            r"\b(?:testfile|DocFile\w*|DocTestParser|DocTestRunner|manuel|sybil|doctest_plus|doctest_rst)\b"
            r"|doctest[-_](?:files|glob|extension|plus|rst)"
            r"|(?<!SPHINXBUILD\)\s)(?<!SPHINXBUILD%\s)-[bm][\s\"',]+doctest\b|\bmake\b.*\bdoctest\b"
        ),
        block_runners=frozenset(
            {
                "CodeBlockParser",
                "PythonCodeBlockParser",
                "check_md_file",
                "check_md_string",
                "codeblocks",
                "find_examples",
            }
        ),
        text_runners=frozenset({"exec"}),
        lines=r"\s*(?:>>>|\.\.\.)\s",
        imports=r"\s*(?:from|import)\s+([\w.,\s]+?)(?:\s+(?:import|as)\b|\s*\Z)",
    ),
    # not `--doctest-modules`, which runs docstrings; nor `$(SPHINXBUILD) -b doctest` of Sphinx's own Makefile
    strings=NamesInStrings(
        member_lookups=frozenset({"getattr", "__getattribute__"}),
        member_access=MEMBER_ACCESS,
        own_names=r"(?:sorted\(\s*)?(?:(?:dir|vars)\s*\(\s*self\s*\)|self\s*\.\s*__(?:dict|slots)__)",
        class_name_members=frozenset({"__name__", "__qualname__"}),
        borrowed_call=r"\b{cls}\s*\.\s*{name}\s*\(\s*self\b",
        member_strings=(
            r"(?:\b(?:get|set|has|del)attr|__(?:get|set|del)attr(?:ibute)?__|\battrgetter|\bpatch\.object)\s*\([^()\n]*[\"']\Z"
        ),
        member_tables=r"\b(?:vars|dir)\s*\(\s*([\w.]+)\s*\)|\b(\w+)\s*\.\s*__dict__\b",
        keyed_classes=r"\A[^:]*[(,.\s]TypedDict\b[^:]*:",
        field_classes=(
            r"(?m)^\s*@(?:attrs?\.\w+|(?:\w+\.)*(?:dataclass|define|frozen|mutable|attrs|attributes))\b"
            r"|\bclass\b[^:]*\b(?:NamedTuple|BaseModel|Struct)\b"
        ),
        entry_takers=r"\b(?:_?replace|evolve|{cls}|cls)\s*\((?:(?:[^()]|\([^()]*\))*,)?\s*\*\*",
        member_fields=r"(?<!\{)(?:\{\{)*\{(\w*(?:\.\w+|\[[^\[\]]*\])*)\.\Z",
        name_readers=(
            r"\b(?:__class__|type\s*\(\s*self\s*\))\s*\.\s*__(?:qual)?name__"
            r"|\A\s*@(?:\w+\.)*(?:dataclass|define|frozen|mutable)\b|\A[^:]*\b(?:NamedTuple|namedtuple)\b"
        ),
        module_makers=frozenset({"__import__", "exec_module", "import_module", "load_module", "modules", "reload"}),
        named_values=(
            r"\A[^=]*=\s*(?:\w+\.)*(?:TypeVar|ParamSpec|TypeVarTuple|NewType|TypedDict|NamedTuple|namedtuple)\s*\(\s*[\"']\Z"
            r"|\A\s*class\s+\w+\s*\(\s*(?:\w+\.)*(?:NamedTuple|namedtuple)\s*\(\s*[\"']\Z"
        ),
        namespaces=r"\b(?:globals|locals|vars)\s*\(\s*\)",
        prefixless_fields=r"(?m)^\s*@(?:attrs?\.\w+|define|frozen|mutable|attrs|attributes)\b",
        patterns_name_members=False,
        own_values=frozenset({"self", "cls"}),
        export_lists=r"\A\s*__all__\b(?:[^#]|#[^\n]*\n)*[\"']\Z",
        member_lists=r"\A\s*__(?:slots|match_args)__\b(?:[^#]|#[^\n]*\n)*[\"']\Z",
    ),
    server_texts=ServerTexts(
        member_probe='\n\n\ndef _probe(value: "{cls}"):\n    value.{name}\n    value.{other}\n',
        # `Divergent` of what depends on itself, `Never` in what is taken for unreachable
        unknown_types=r"\b(?:Unknown|Any|Todo|Divergent)\b|\A\W*(?:python\s+)?Never\W*\Z",
        module_types=r"<module\b|\(module\)|\bModuleType\b",
    ),
    shape_classes=r"\A[^:]*[(,.\s](?<!asyncio\.)Protocol\b[^:]*:",
    calls=CALLS,
)
