"""What Python, its library, test runners and packaging use by name. Source: the Python reference, "Data model"; the
documentation of unittest, pytest, setuptools, Sphinx and Alembic."""

from codemap.languages.liveness import Liveness

LIVENESS = Liveness(
    needs_package=True,
    unpublished=r"Private\s*::",
    private_paths=r"(?:\A|/)_(?!_)",
    private_names=r"_(?!_).*",
    runtime_names=(r"__\w+__|_|pytest_\w+|load_tests|(?:setup|teardown)_(?:module|function)|(?:setUp|tearDown)Module"),
    unnamed_calls=r"__(?!init__|new__)\w+__",
    contract_names=(
        r"pytest_\w+|visit_\w+|do_[A-Z]+|handle_\w+|on_\w+|setUp|tearDown|setUpClass|tearDownClass|setup_method|teardown_method|setup_class|teardown_class"
        r"|_(?:missing|generate_next_value|ignore|order|fields|fields_defaults|asdict|replace|make|repr_html|repr_pretty"
        r"|repr_mimebundle|repr_\w+)_?|Meta|Config|Params|Media"
    ),
    plain_decorators=frozenset(
        (
            *("property", "staticmethod", "classmethod", "cached_property", "cache", "lru_cache", "wraps", "setter"),
            *("getter", "deleter", "contextmanager", "asynccontextmanager", "dataclass", "dataclass_transform"),
            *("overload", "abstractmethod", "abstractproperty", "override", "final", "no_type_check", "singledispatch"),
            *("total_ordering", "runtime_checkable", "deprecated", "define", "frozen", "mutable", "attrs", "unique"),
        )
    ),
    plain_bases=frozenset(
        (
            *("object", "ABC", "Generic", "Protocol", "NamedTuple", "TypedDict", "type", "ABCMeta"),
            *("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "BaseException", "Exception", "ArithmeticError"),
            *("AssertionError", "AttributeError", "ImportError", "IndexError", "KeyError", "LookupError", "NameError"),
            *("NotImplementedError", "OSError", "IOError", "RuntimeError", "StopIteration", "SyntaxError", "TypeError"),
            *("UnicodeError", "ValueError", "Warning", "DeprecationWarning", "FutureWarning", "RuntimeWarning"),
            *("UserWarning", "SystemExit", "ConnectionError", "TimeoutError", "EOFError", "BufferError"),
        )
    ),
    loads_files=True,
    package_file="__init__.py",
    program_mark="__main__",
    loaded_paths=(
        r"(?:\A|/)(?:setup|conftest|noxfile|tasks|fabfile|conf|manage|wsgi|asgi|settings|urls|admin|apps|models|hatch_build"
        r"|build|sitecustomize|gunicorn\.conf|gunicorn_conf|celeryconfig|locustfile|dodo)\.py\Z|(?:\A|/)(?:migrations|management/commands"
        r"|templatetags|versions|settings)/|\.pyi\Z"
    ),
    loaded_names=r".*",
    computed_names=(
        r"\b(?:getattr|setattr|hasattr|delattr|globals|locals|vars|attrgetter|methodcaller|import_module|__import__"
        r"|import_string|eval|exec)\b|__dict__|sys\.modules"
    ),
    computed_members=(
        r"\b[gs]etattr\(\s*(?:self|cls)\s*,(?!\s*[rbfu]?[\"'])|\b(?:globals|vars|locals)\(\)\s*(?:\[(?!\s*[rbfu]?[\"'])|\.\w)"
        r"|\bdir\(\s*(?:self|cls)"
    ),
)
