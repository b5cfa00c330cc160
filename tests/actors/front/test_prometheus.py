"""The text that Prometheus reads."""

from __future__ import annotations

from actors.front.prometheus import SECONDS, Family, Histogram, text_of


def test_counters_with_labels_that_need_escaping() -> None:
    family = Family("calls_total", "counter", "Calls.", (({"root": 'a"b\\c\nd'}, 3.0), ({}, 0.5)))
    assert text_of([family, Family("nothing", "gauge", "None.", ())]) == (
        '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{root="a\\"b\\\\c\\nd"} 3\ncalls_total 0.5\n'
    )


def test_a_histogram_counts_what_is_at_most_its_bound() -> None:
    histogram = Histogram()
    for seconds in (0.0, 0.001, 0.0011, 5.0, 9.0):
        histogram.add(seconds)
    lines = text_of([Family("s", "histogram", "S.", (({"tool": "t"}, histogram),))]).splitlines()[2:]
    by_bound = {line.split('le="')[1].split('"')[0]: int(line.split()[-1]) for line in lines if "le=" in line}
    assert by_bound["0.001"] == 2
    assert by_bound["0.0025"] == by_bound["2.5"] == 3
    assert by_bound["5"] == 4
    assert by_bound["+Inf"] == 5
    assert len(by_bound) == len(SECONDS) + 1
    assert lines[-2:] == ['s_sum{tool="t"} 14.0021', 's_count{tool="t"} 5']
