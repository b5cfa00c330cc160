"""The kinds of symbols in answers of live tools: those of the map, and one for all others that servers have."""

from __future__ import annotations

from typing import Annotated

from codemap.live_queries import Kind
from codemap.tools.outputs import one_of

LiveKindName = Annotated[str, one_of(kind.value for kind in Kind)]
