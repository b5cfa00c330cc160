"""Traps in what git reads of a repository: configuration that names programs, attributes, hooks, and repositories that
pose as another.

Source: git-config(1), gitattributes(5), githooks(5), gitmodules(5), gitrepository-layout(5); CVE-2022-24765 (whose
configuration), CVE-2024-32004 (lazy fetching runs what a remote names).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.system.traps.planted import Mark

PROGRAM_KEYS = """
core.fsmonitor core.editor core.pager core.askPass core.sshCommand core.gitProxy core.alternateRefsCommand
sequence.editor pager.ls-files pager.rev-parse pager.status diff.external interactive.diffFilter credential.helper
gpg.program gpg.openpgp.program gpg.x509.program gpg.ssh.program gpg.ssh.defaultKeyCommand
diff.trap.command diff.trap.textconv merge.trap.driver filter.trap.clean filter.trap.smudge filter.trap.process
mergetool.trap.cmd difftool.trap.cmd browser.trap.cmd man.trap.cmd guitool.trap.cmd trailer.trap.cmd
trailer.trap.command
remote.origin.uploadpack remote.origin.receivepack uploadpack.packObjectsHook web.browser instaweb.httpd
sendemail.smtpServer sendemail.toCmd sendemail.ccCmd sendemail.sendmailCmd imap.tunnel
fsmonitor.hookPath gc.recentObjectsHook submodule.alternateErrorStrategy hook.trap.command
"""
"""Keys whose value is a program."""

BANG_KEYS = (
    "alias.ls-files",
    "alias.rev-parse",
    "alias.status",
    "submodule.nested.update",
    "credential.https://a.helper",
)
"""Keys whose value runs a program behind an exclamation mark."""

HOOKS = """
applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
pre-rebase post-checkout post-merge pre-push reference-transaction fsmonitor-watchman query-watchman post-index-change
post-rewrite sendemail-validate pre-auto-gc pre-receive update proc-receive post-receive post-update push-to-checkout
p4-pre-submit
"""

ATTRIBUTES = "* filter=trap diff=trap merge=trap\n"


def git(folder: Path, *words: str) -> str:
    """What git prints; it has no configuration but the folder's."""
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    )
    return done.stdout


def plant_tracked(mark: Mark) -> None:
    """What a clone brings: attributes, a description of submodules, and folders that pose as bare repositories."""
    mark.write(".gitattributes", ATTRIBUTES)
    trap = mark.program("traps/submodule-update")
    mark.write(
        ".gitmodules",
        f'[submodule "nested"]\n\tpath = nested\n\turl = ext::{trap}\n\tignore = none\n',
    )
    mark.write("traps/gitconfig", _configuration(mark, "included", has_remote=False))
    for folder in (".venv", "node_modules", "posing"):
        plant_posing(mark, folder)


def plant_posing(mark: Mark, folder: str) -> None:
    """Makes a folder look like a bare repository without files, which would then say that nothing is tracked."""
    mark.write(f"{folder}/HEAD", "ref: refs/heads/main\n")
    mark.write(f"{folder}/objects/x", "")
    mark.write(f"{folder}/refs/x", "")
    mark.write(f"{folder}/config", _configuration(mark, f"of {folder}", "\tbare = false\n\tworktree = .\n"))


def plant_git(mark: Mark) -> None:
    """A repository with everything that is there tracked, and with a `.git` that an archive could have brought."""
    root = mark.root
    git(root, "init", "--quiet")
    nested = root / "nested"
    nested.mkdir()
    (nested / "inner.py").write_text("def inner():\n    return 1\n")
    git(nested, "init", "--quiet")
    git(nested, "add", "inner.py")
    git(nested, "commit", "--quiet", "-m", "One")
    git(root, "add", "--force", ".")
    git(root, "commit", "--quiet", "-m", "One")
    git(root, "repack", "-a", "-d", "--quiet")  # else reading history opens 2,700 files again and again
    _arm(mark, root / ".git", "")
    _arm(mark, nested / ".git", "of a submodule ")
    mark.write("gitfile/.git", "gitdir: ../fakegit\n")
    mark.write("gitfile/in_gitfile.py", "def in_gitfile():\n    return 1\n")
    mark.write("fakegit/HEAD", "ref: refs/heads/main\n")
    mark.write("fakegit/objects/x", "")
    mark.write("fakegit/refs/x", "")
    mark.write("fakegit/config", _configuration(mark, "of a git file"))


def _arm(mark: Mark, store: Path, whose: str) -> None:
    """Writes all that may start a program into a `.git`."""
    config = store / "config"
    config.write_text(config.read_text() + _configuration(mark, f"{whose}config") + _inclusions(mark))
    (store / "config.worktree").write_text(_configuration(mark, f"{whose}config.worktree"))
    (store / "info" / "attributes").write_text(ATTRIBUTES)
    hooks = store / "hooks"
    for hook in HOOKS.split():
        place = mark.program(f"{hooks.relative_to(mark.root)}/{hook}")
        assert place.exists()


def _inclusions(mark: Mark) -> str:
    where = mark.root / "traps" / "gitconfig"
    conditions = ("gitdir:**", "onbranch:**", "hasconfig:remote.*.url:**")
    return f"[include]\n\tpath = {where}\n" + "".join(
        f'[includeIf "{condition}"]\n\tpath = {where}\n' for condition in conditions
    )


def _configuration(mark: Mark, where: str, core: str = "", *, has_remote: bool = True) -> str:
    """A configuration in which every key runs a program that is named after it and after where it was set.

    A file that is included for the sake of a remote must not name one.
    """
    lines = [f"[core]\n{core}"] if core else []
    for key in (*PROGRAM_KEYS.split(), *BANG_KEYS):
        if key.startswith("remote.") and not has_remote:
            continue
        section, _, name = key.partition(".")
        subsection, dot, variable = name.rpartition(".")
        head = f'[{section} "{subsection}"]' if dot else f"[{section}]"
        bang = "!" if key in BANG_KEYS else ""
        program = _named(mark, f"{key} {where}")
        lines.append(f'{head}\n\t{variable} = "{bang}{program}"\n')
    hooks = _named(mark, f"core.hooksPath {where}/x").parent
    for hook in HOOKS.split():
        if not (hooks / hook).exists():
            mark.program(str((hooks / hook).relative_to(mark.root)))
    lines.append(f'[core]\n\thooksPath = "{hooks}"\n\tuntrackedCache = true\n[extensions]\n\tworktreeConfig = true\n')
    lines.append('[filter "trap"]\n\trequired = true\n[protocol "ext"]\n\tallow = always\n')
    if has_remote:
        lines.append(f'[remote "origin"]\n\turl = "ext::{_named(mark, f"remote.origin.url {where}")}"\n')
    return "".join(lines)


def _named(mark: Mark, name: str) -> Path:
    path = f"traps/git/{name.replace('https://', '')}".replace(" ", "-")
    if not (mark.root / path).exists():
        mark.program(path)
    return mark.root / path


def lazy_repository(mark: Mark) -> None:
    """A sparse checkout whose index lacks a tree, of a remote that git would have it from: by a program."""
    root = mark.root
    root.mkdir()
    git(root, "init", "--quiet")
    mark.write("kept/kept.py", "def kept():\n    return 1\n")
    mark.write("left/left.py", "def left():\n    return 1\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "One")
    git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "kept")
    tree = git(root, "rev-parse", "HEAD:left").strip()
    (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    trap = mark.program("traps/uploadpack")
    config = root / ".git" / "config"
    config.write_text(
        config.read_text() + "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\tpromisor = true\n\turl = {root}\n\tuploadpack = {trap}\n'
        f'[remote "other"]\n\tpromisor = true\n\turl = ext::{trap}\n[protocol]\n\tallow = always\n'
        '[protocol "ext"]\n\tallow = always\n'
    )
