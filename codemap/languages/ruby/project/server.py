"""Language servers for Ruby: ruby-lsp, else Solargraph.

Both evaluate the `Gemfile`, and load what the repository brings (add-ons of ruby-lsp, plug-ins that `.solargraph.yml`
names); so they are used only where the user trusts the repository. ruby-lsp would write a bundle of its own into the
repository and install it: where `BUNDLE_GEMFILE` is set it does neither, and it is set to one of ours that is empty.

Neither knows the type of most receivers, and then ruby-lsp names every method of the name: its answers are never
counted as complete, so that none of them confirms anything.

Source: the documentation of ruby-lsp (its command, its progress "Ruby LSP: indexing files") and of Solargraph; neither
was run here.
"""

from __future__ import annotations

from codemap.lsp.server import AfterProgress, Cancel, Companion, Entry, Server
from codemap.lsp.serving import Configured, Serving

LANGUAGE_IDS = dict.fromkeys((".rb", ".rake", ".gemspec", ".ru", ".thor"), "ruby")
_ROOT_MARKERS = (("Gemfile.lock", "gems.locked"), ("Gemfile", "gems.rb"))
_CONFIG_FILES = ("Gemfile", "Gemfile.lock", "gems.rb", "gems.locked", "*.gemspec", ".solargraph.yml")
_RUBY = Companion(name="ruby", names=("ruby",), missing="it needs Ruby")
_CAVEAT = "where the type of a receiver is not known, it goes by the name of the method"


def _configure_ruby_lsp(_serving: Serving) -> Configured:
    return Configured(files={"Gemfile": b""}, caveat=_CAVEAT)


def _configure_solargraph(_serving: Serving) -> Configured:
    return Configured(caveat=_CAVEAT)


RUBY_LSP = Server(
    name="ruby-lsp",
    entry=Entry(names=("ruby-lsp",)),
    arguments=(),
    install="gem install ruby-lsp",
    language_ids=LANGUAGE_IDS,
    initialization_options={"experimentalFeaturesEnabled": False, "formatter": "none", "linters": []},
    environment={"BUNDLE_GEMFILE": "{state}/Gemfile"},
    opens=True,
    readiness=AfterProgress(r"indexing files", begins_within_s=10.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=1,
    verifies="none",
    start_s=60.0,
    ready_s=60.0,
    runs_project_code=True,
    root_markers=_ROOT_MARKERS,
    config_files=_CONFIG_FILES,
    companions=(_RUBY,),
    configure=_configure_ruby_lsp,
)

SOLARGRAPH = Server(
    name="solargraph",
    entry=Entry(names=("solargraph",)),
    arguments=("stdio",),
    install="gem install solargraph",
    language_ids=LANGUAGE_IDS,
    configuration={"solargraph": {"diagnostics": False, "checkGemVersion": False, "autoformat": False}},
    initialization_options={"diagnostics": False, "checkGemVersion": False, "autoformat": False},
    opens=True,
    readiness=AfterProgress(r"^Mapping workspace", begins_within_s=10.0),
    cancel=Cancel.MESSAGE,
    in_flight_max=1,
    verifies="none",
    start_s=60.0,
    ready_s=60.0,
    runs_project_code=True,
    root_markers=_ROOT_MARKERS,
    config_files=_CONFIG_FILES,
    companions=(_RUBY,),
    configure=_configure_solargraph,
)

SERVERS = (RUBY_LSP, SOLARGRAPH)
