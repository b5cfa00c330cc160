"""Namespaces -> the files that declare them, as a project sees them; names that `global using` brings.

A file belongs to the project nearest above it. Of files that are named alike in one namespace, those of the importer's
project and of the projects that it refers to hide the others: tests, samples and ports to other platforms declare the
same types. Of types of one name, that of the importer's project hides the others. Where no project file says what
belongs together, nothing is hidden.

Source: the C# language specification, "Namespaces"; the compiler's warning CS0436; the MSBuild reference, "Common
MSBuild project items".
"""

from __future__ import annotations

from codemap.languages.csharp.project.projects import ProjectFile, project_file, read, read_items
from codemap.languages.nearest_folder import nearest_folder
from codemap.mangled_names import parse_type
from codemap.project import External, Missing, Module, Project, Resolution

CONFIG_FILES = {"*.csproj": read, "Directory.Build.props": read, "Directory.Build.targets": read}
GLOBAL = "global::"
"""The specifier of what is in no namespace."""
STANDARD = ("System", "Microsoft")
"""Namespaces of which programs declare parts that older libraries lack (`System.Runtime.CompilerServices`); the others
are where they always were."""
OPENED = tuple(f"?{number}" for number in range(24))
"""Specifiers of the namespaces that other files of the project open for all of them; more are not followed."""
OPENS = f"{'.'.join(OPENED)}."
"""What a file adds to its packages for each namespace that it opens for its project: with the names of all that the
other files ask for, so that they are seen to mean something else."""


def modules(project: Project) -> CSharpModules:
    return CSharpModules(project)


class CSharpModules:
    """The namespaces of one state of a project; keeps what it has resolved."""

    def __init__(self, project: Project) -> None:
        self._spaces: dict[str, list[str]] = {}  # namespace -> files
        self._homes: dict[str, str | None] = {}
        self._projects: dict[str, ProjectFile] = _projects(project)
        self._reached: dict[str, frozenset[str]] = {}
        self._own: dict[str, str] = {}  # file -> its first namespace
        opened: dict[str | None, set[str]] = {}
        for path in sorted(path for path in project.files if path.endswith(".cs")):
            listed = project.packages.get(path, ("",))
            self._own[path] = listed[0] if listed else ""
            for name in listed or ("",):
                if name.startswith(OPENS):
                    opened.setdefault(self._home(path), set()).add(name.removeprefix(OPENS))
                else:
                    self._spaces.setdefault(name, []).append(path)
        self._prefixes = {
            ".".join(parts[:count])
            for parts in (name.split(".") for name in self._spaces if name)
            for count in range(1, len(parts) + 1)
        }
        for folder, stated in self._projects.items():
            opened.setdefault(folder, set()).update(stated.usings)
        self._opened = {home: sorted(names & self._spaces.keys()) for home, names in opened.items()}
        self._found: dict[tuple[str, str | None], Module | None] = {}

    def resolve(self, specifier: str, importer: str) -> Resolution:
        home = self._home(importer)
        if specifier in OPENED:
            names, at = self._opened.get(home, []), OPENED.index(specifier)
            return (self._space(names[at], home) if at < len(names) else None) or Missing()
        if specifier == GLOBAL:
            return self._space("", home) or Missing()
        head = specifier.partition(".")[0]
        is_outside = head in STANDARD and specifier not in self._spaces
        for name in (specifier, *_relative(self._own.get(importer, ""), specifier)):
            if name in self._prefixes and not (is_outside and name == specifier):
                return self._space(name, home) or Module(None, name)
        return Missing() if head in self._prefixes and "." in specifier and not is_outside else External(specifier)

    def child(self, module: Module, name: str) -> Module | None:
        """The namespace `name` in another, which has no name for the outermost."""
        of_type = parse_type(name)
        name = of_type.name if of_type is not None and not of_type.parameter_count else name
        full = f"{module.directory}.{name}" if module.directory else name
        if module.directory is None or full not in self._prefixes:
            return None
        return self._space(full, None) or Module(None, full)

    def _space(self, name: str, home: str | None) -> Module | None:
        """A namespace as a project sees it."""
        key = (name, home)
        if key not in self._found:
            paths = self._spaces.get(name, [])
            chosen = paths if home is None else self._seen(paths, home)
            own = frozenset(path for path in chosen if self._home(path) == home) if home is not None else frozenset()
            hiding = own if len(own) < len(chosen) else frozenset()
            module = Module(chosen[0], name or None, frozenset(chosen), name, hiding=hiding) if chosen else None
            self._found[key] = module
        return self._found[key]

    def _seen(self, paths: list[str], home: str) -> list[str]:
        """Of the files named alike, those of a project and what it refers to, where it has some."""
        reached = self._reach(home)
        named: dict[str, list[bool]] = {}
        is_near = {path: self._home(path) in reached for path in paths}
        for path in paths:
            named.setdefault(_name(path), []).append(is_near[path])
        return [path for path in paths if is_near[path] or not any(named[_name(path)])]

    def _reach(self, home: str) -> frozenset[str]:
        """The folders of a project and of those that it refers to, directly or not."""
        known = self._reached.get(home)
        if known is None:
            seen, todo = {home}, [home]
            while todo:
                for folder in self._projects[todo.pop()].references:
                    if folder in self._projects and folder not in seen:
                        seen.add(folder)
                        todo.append(folder)
            known = self._reached[home] = frozenset(seen)
        return known

    def _home(self, path: str) -> str | None:
        """The folder of the project that a file belongs to."""
        return nearest_folder(path.rpartition("/")[0], self._projects.__contains__, self._homes)


def _projects(project: Project) -> dict[str, ProjectFile]:
    """Folder -> what its project files say together; references by the name of an assembly lead to the project that
    makes it."""
    texts = sorted((path, text) for path, text in project.configs.items() if path.endswith(".csproj"))
    shared = [
        (path.rpartition("/")[0], read_items(text))
        for path, text in sorted(project.configs.items())
        if path.endswith((".props", ".targets"))
    ]
    found: dict[str, ProjectFile] = {}
    for path, text in texts:
        folder = path.rpartition("/")[0]
        above = [props for at, props in shared if not at or f"{folder}/".startswith(f"{at}/")]
        stated = project_file(path, read_items(text), above)
        found[folder] = found[folder].joined(stated) if folder in found else stated
    makers: dict[str, str] = {}
    for folder, stated in found.items():
        for name in stated.assemblies:
            makers.setdefault(name, folder)
    return {
        folder: stated.with_references({makers[name] for name in stated.assemblies_used if name in makers})
        for folder, stated in found.items()
    }


def _relative(own: str, specifier: str) -> list[str]:
    """The names that a specifier may stand for in a namespace, the nearest first."""
    parts = own.split(".") if own else []
    return [".".join([*parts[:count], specifier]) for count in range(len(parts), 0, -1)]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
