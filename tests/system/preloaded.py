"""What every start of codemap imports, imported once, in the process that `tests.system.forked` forks; what a first map
or a first answer imports, too."""

from __future__ import annotations

import gc
import importlib
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does, before numpy

for _name in (
    *("tests.system.forked", "tests.system.store_child", "actors.entry", "actors.command_line.joining"),
    *("actors.command_line.main", "actors.command_line.serving", "actors.command_line.one_command"),
    *("actors.command_line.doctor", "actors.command_line.export", "actors.command_line.index_report"),
    *("actors.command_line.display.terminal", "actors.command_line.viewing", "actors.front.serve"),
    *("actors.front.transports.http", "actors.command_line.advice_phrases", "actors.command_line.text_rendering"),
    *("codemap.config.jsonc", "codemap.config.xml", "encodings.ascii", "encodings.utf_16_le", "encodings.utf_32_le"),
    *("anyio._backends._trio", "anyio._core._sockets"),
):
    importlib.import_module(_name)
languages = importlib.import_module("codemap.languages")
languages.bears_on_imports("package.json")
languages.is_config_file("package.json")
gc.collect()
gc.freeze()
