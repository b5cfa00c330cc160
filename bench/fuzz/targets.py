"""The targets, in the order in which they take turns."""

from __future__ import annotations

from bench.fuzz.git_output import fuzz_git
from bench.fuzz.replies import fuzz_replies
from bench.fuzz.sources import fuzz_configs, fuzz_growth, fuzz_sources
from bench.fuzz.stored import fuzz_database, fuzz_records
from bench.fuzz.target import Target
from bench.fuzz.wire import fuzz_http, fuzz_stdio, fuzz_websocket

TARGETS = (
    Target("sources", "sources of all languages, to replies", fuzz_sources),
    Target("growth", "how much longer sources take that have more of the same", fuzz_growth),
    Target("configs", "configuration files of all languages, to replies", fuzz_configs),
    Target("database", "the file that maps are kept in", fuzz_database),
    Target("records", "what is kept, behind checksums that are right", fuzz_records),
    Target("git", "what git prints", fuzz_git),
    Target("servers", "what language servers write", fuzz_replies),
    Target("stdio", "messages over stdio", fuzz_stdio, is_alone=False),
    Target("websocket", "messages and frames of a websocket", fuzz_websocket, is_alone=False),
    Target("http", "messages and requests over HTTP", fuzz_http, is_alone=False),
)
