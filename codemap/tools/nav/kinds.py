"""The kinds that live tools give symbols: those of servers, which are those of the map and one for all others."""

from __future__ import annotations

from typing import Annotated

from codemap.live import Kind
from codemap.tools.outputs import one_of

LiveKindName = Annotated[str, one_of(kind.value for kind in Kind)]
