"""`codemap doctor`: reports what is installed, indexed and missing, and what to do about each.

It lists and builds as `codemap index` does, and asks the same sources that the service uses, so that what it says is
what holds. Nothing is changed. The file is long because all sections of the report are in it.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, requires, version

import msgspec
import trio

from actors.cluster.opening import ClusterUse, NoCluster, find_cluster
from actors.cluster.survey import survey_cluster
from actors.command_line.display.terminal import GAP, Style, table
from actors.command_line.one_command import cancel_on_signal
from actors.files.repository import repository_around
from actors.files.trust import Stance, stance_on, territory, trust_file
from actors.indexing.config_files import config_warnings
from actors.indexing.latest_snapshot import Published
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.indexing.unparsable_files import why_lost
from actors.language_servers.programs.installed_servers import Surveyed, survey
from actors.language_servers.programs.program import Absent, Program
from actors.language_servers.programs.real_ports import open_language_ports
from actors.language_servers.wiring import project_of
from actors.listing.git import find_git
from actors.listing.listing import list_tree
from actors.listing.walk import TreeListing
from actors.messaging.log import LEAST, Severity
from actors.messaging.messages import Unavailable
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from codemap.extract.skipped_files import SkipReason
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.settings import Configured, Settings, all_settings

GIT_TIMEOUT_S = 5.0
OTHERS_SHOWN = 5
COVERAGE_LOW = 0.99
"""Share of understood source below which some files deserve a look."""

ADVICE: Mapping[SkipReason, str] = {
    SkipReason.OVERSIZED: "raise file_max_bytes to index them",
    SkipReason.TIMEOUT: "raise file_timeout_s to give them more time",
    SkipReason.MEMORY: "raise memory_mb, or exclude them",
    SkipReason.UNREADABLE: "check their permissions",
    SkipReason.UNPARSABLE: "a fault of codemap's: please report the file",
    SkipReason.ENCODING: "rename them to UTF-8 names",
    SkipReason.GENERATED: "pass --include-generated on to index them",
    SkipReason.EXCLUDED: "the setting exclude names them",
}
"""What to do about a reason to skip files."""


_IGNORED = "a file of the repository cannot set it so; a flag or CODEMAP_* variable of yours can"


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    about: str
    found: str
    advice: str = ""
    """What to do; empty where nothing is."""
    is_broken: bool = False
    """Whether codemap cannot work because of it."""


class Findings(msgspec.Struct, frozen=True):
    """All findings by section."""

    sections: dict[str, list[Finding]]

    @property
    def is_well(self) -> bool:
        return not any(finding.is_broken for findings in self.sections.values() for finding in findings)

    def as_text(self, style: Style) -> str:
        lines: list[str] = []
        for title, findings in self.sections.items():
            rows = [(_mark(finding), finding.about, finding.found) for finding in findings]
            lines += [*([""] if lines else []), style.paint(title, "bold")]
            for finding, line in zip(findings, table(rows, style), strict=True):
                lines.append(GAP + line)
                if finding.advice:
                    lines.append(GAP * 3 + style.paint("-> " + finding.advice, "yellow"))
        return "\n".join(lines) + "\n"

    def as_json(self) -> str:
        return msgspec.json.encode(self.sections).decode() + "\n"


def doctor(root: str, configured: Configured, flags: Mapping[str, object]) -> Findings | None:
    """Checks everything; None when a signal came first. Takes as long as a build."""
    LEAST.set(Severity.ERROR)
    gathered = trio.run(_gather, root, configured.settings)
    if gathered is None:
        return None
    listing, published, workers, surveyed = gathered
    return Findings(
        {
            "installed": [_python(), *_packages(), _git(root)],
            "root": [*_root(root, flags, listing), _trust(root, configured.settings)],
            "indexed": [*workers, *_indexed(published, listing)],
            "language servers": _servers(surveyed),
            "settings": _settings(configured),
        }
    )


async def _gather(
    root: str, settings: Settings
) -> tuple[TreeListing, Published[Snapshot] | Unavailable, list[Finding], list[Surveyed] | None] | None:
    gathered = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(cancel_on_signal, nursery.cancel_scope)
        listing = await list_tree(root, settings)
        settings = msgspec.structs.replace(settings, watch="off")  # gone before anything changes
        ports = open_disk(root, settings)
        async with open_service(settings, ports, SingleUseBuilder()) as service:
            await service.wait_built()
            published = service.latest.get()
            why = why_lost(published) or service.behind()
            found = Unavailable(why) if published is None or why else published
            workers = [
                Finding("workers", str(ports.worker_capacity)),
                *await _cluster(find_cluster(settings, ports.root, os.environ)),
            ]
            gathered = listing, found, workers, await _survey(root, settings, found)
        nursery.cancel_scope.cancel()
    return gathered


async def _survey(root: str, settings: Settings, published: Published[Snapshot] | Unavailable) -> list[Surveyed] | None:
    """Looks for the servers of the indexed languages; None where live navigation is off."""
    live = open_language_ports(root, settings)
    if live is None:
        return None
    if isinstance(published, Unavailable):
        return []
    return await survey(live, project_of(live, published), {file.lang for file in published.snapshot.files})


def _python() -> Finding:
    return Finding("Python", f"{platform.python_version()} ({platform.system()} {platform.machine()})")


def _packages() -> list[Finding]:
    findings = [Finding("codemap", version("codemap"))]
    for requirement in requires("codemap") or ():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        if "extra ==" in requirement:
            continue
        try:
            findings.append(Finding(name, version(name)))
        except PackageNotFoundError:
            findings.append(Finding(name, "missing", f"pip install '{requirement}'", is_broken=True))
    return findings


_WITHOUT_GIT = "without it, files that are tracked although ignore files name them are left out"


def _git(root: str) -> Finding:
    git = find_git(os.environ, root)
    if git is None:
        return Finding("git", "missing", f"install git: {_WITHOUT_GIT}")
    try:
        done = subprocess.run(
            [git.path, "--version"],
            cwd=os.path.dirname(git.path),
            env=git.environment,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=True,
            text=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("git", f"{git.path} does not work: {error}", f"mend it: {_WITHOUT_GIT}")
    return Finding("git", f"{done.stdout.removeprefix('git version').strip()} ({git.path})")


def _root(root: str, flags: Mapping[str, object], listing: TreeListing) -> list[Finding]:
    repository = repository_around(os.fsencode(root))
    if flags.get("root"):
        how = "named by --root"
    elif os.environ.get("CODEMAP_ROOT"):
        how = "named by CODEMAP_ROOT"
    elif repository is not None:
        how = "the repository around the current folder"
    else:
        how = "the project around the current folder"
    top = None if repository is None else os.fsdecode(repository.top)
    inside = "" if top == root else f", as part of {top}"
    tracked = f"as git would track them{inside}" if top else "no git repository: by their ignore files"
    findings = [Finding("folder", root), Finding("found as", how), Finding("files listed", tracked)]
    return findings + [Finding("listing", "warning", sentence) for sentence in listing.warnings]


def _trust(root: str, settings: Settings) -> Finding:
    """Reports whether programs of the repository may be run."""
    folder = territory(root)
    stance, since = stance_on(trust_file(os.environ), folder)
    what = "programs in it and servers that run its build scripts"
    if settings.trust_repository != "auto":
        return Finding("trust", f"{settings.trust_repository}, by the setting trust_repository: {what}")
    match stance:
        case Stance.TRUSTED:
            return Finding("trust", f"given {since}: {what} may be started; codemap trust --revoke takes it back")
        case Stance.REPLACED:
            return Finding(
                "trust", "not given: another folder stood there when it was", "codemap trust, if this one is too"
            )
        case Stance.NOTHING:
            return Finding("trust", f"not given: {what} are not started; codemap trust allows them")


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


async def _cluster(use: ClusterUse | NoCluster | None) -> list[Finding]:
    if use is None:
        return []
    survey = await survey_cluster(use)
    if survey.why:
        return [Finding("cluster", f"{survey.place} parses nothing", survey.why)]
    return [Finding("cluster", f"{survey.place}, {survey.batches} batches of files at a time")]


def _indexed(published: Published[Snapshot] | Unavailable, listing: TreeListing) -> list[Finding]:
    if isinstance(published, Unavailable):
        why = f"could not be built: {published.reason}"
        return [Finding("map", why, "codemap index shows what it meets", is_broken=True)]
    snapshot = published.snapshot
    counts = Counter(file.lang for file in snapshot.files)
    findings = [Finding(by_name()[lang].title, _files(count)) for lang, count in counts.most_common()]
    if not counts:
        known = ", ".join(language.title for language in by_name().values())
        findings.append(Finding("files", "none", f"codemap reads {known}; look at --root, include and exclude"))
    findings.append(Finding("symbols", f"{snapshot.symbol_count:,}"))
    findings += _coverage(snapshot)
    reasons = Counter(listing.skipped.values())
    reasons.update(record.skipped for record in published.files.values() if record.skipped is not None)
    for reason, count in reasons.most_common():
        findings.append(Finding(f"skipped, {reason}", _files(count), ADVICE.get(reason, "")))
    for sentence in config_warnings(published):
        findings.append(Finding("configuration", "left out", sentence.removesuffix(".")))
    others = sorted(listing.others.items(), key=lambda item: (-item[1], item[0]))
    if others:
        shown = ", ".join(f"{suffix or 'no suffix'} {count:,}" for suffix, count in others[:OTHERS_SHOWN])
        more = f", and {len(others) - OTHERS_SHOWN} more kinds" if len(others) > OTHERS_SHOWN else ""
        findings.append(Finding("no language for", shown + more))
    return findings


def _servers(surveyed: list[Surveyed] | None) -> list[Finding]:
    if surveyed is None:
        return [Finding("live navigation", "off", "--live on starts language servers when they are asked for")]
    findings = []
    for family in surveyed:
        title = ", ".join(by_name()[name].title for name in family.languages)
        if family.chosen is None:
            name, found = family.found[0]
            assert isinstance(found, Absent), "none was chosen"
            findings.append(Finding(title, f"none: {found.reason}", found.install))
        else:
            name, program = family.chosen
            findings.append(Finding(title, f"{name} {program.version} ({program.path})", program.caveat))
        for other, found in family.found:
            if isinstance(found, Program) and other != name:
                findings.append(Finding("", f"else {other} {found.version} ({found.path})"))
            elif isinstance(found, Absent) and found.refused and other != name:
                findings.append(Finding("", found.reason, found.install))
    return findings


def _coverage(snapshot: Snapshot) -> list[Finding]:
    total = sum(file.stamp.size for file in snapshot.files)
    if not total:
        return []
    broken = {file.path: file.error_bytes for file in snapshot.files if file.error_bytes}
    share = 1 - sum(broken.values()) / total
    worst = sorted(broken, key=lambda path: (-broken[path], path))[:OTHERS_SHOWN]
    advice = f"most errors: {', '.join(worst)}" if share < COVERAGE_LOW else ""
    return [Finding("parsed", f"{share:.2%} of the bytes, {len(broken):,} files with syntax errors", advice)]


def _settings(configured: Configured) -> list[Finding]:
    findings = []
    for setting in all_settings():
        value = getattr(configured.settings, setting.name)
        shown = ", ".join(value) if isinstance(value, tuple) else str(value)
        source = configured.sources.get(setting.name, "default")
        unit = "" if setting.schemes and isinstance(value, str) else setting.unit
        findings.append(Finding(setting.name, f"{shown or 'empty'} {unit}".rstrip() + f" ({source})"))
    return findings + [Finding("ignored", sentence, _IGNORED) for sentence in configured.ignored]


def _mark(finding: Finding) -> str:
    return "!!" if finding.is_broken else " !" if finding.advice else "ok"
