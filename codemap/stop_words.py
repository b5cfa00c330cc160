"""Words so common in sentences that they do not help a search."""

from __future__ import annotations

_WORDS = """
a also am an and are as at be because been being both but by can could did didn do does doesn doing don done e.g eg
etc for from had has have having he her here him his how i i.e ie if in into is isn it its itself just let ll may me
might must my no nor not of off on one ones only onto or our own per rather re s shall she should so some such t
than that the their them then there these they this those to too us ve very via was we were what when where whether
which while who whom whose why will with won would yet you your
"""

STOP_WORDS = frozenset(_WORDS.split())
"""In lower case. What also names code (`all`, `any`, `each`, `after`, `before`, `between`, `without`) is none."""
