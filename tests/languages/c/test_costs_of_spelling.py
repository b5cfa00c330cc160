"""What it takes to read C that expands macros only."""

from __future__ import annotations

import time

from codemap.extract.extract import extract
from tests.costs import is_within


def test_a_table_of_macros_takes_time_in_proportion() -> None:
    table = b"".join(b'SENSE_CODE(0x%04X, "Operation %d in progress")\n' % (number, number) for number in range(2_000))
    start = time.process_time()
    facts = extract("sense_codes.h", table)
    assert "SENSE_CODE" in facts.names
    assert is_within(time.process_time() - start, 5), "it takes a third of a second; each behind all others, minutes"
