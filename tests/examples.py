"""How many random inputs tests draw: few in every run, fifty times as many with `--hypothesis-profile thorough`.

Each run draws others, so that many runs see what one long run would.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

COMMON, THOROUGH = 20, 1000
"""Inputs of a test that states no number of its own."""
STATED = 50
"""Where a test states a number, what it would be for one that states none."""


def register_profiles() -> None:
    """Defines both profiles, and has tests draw as many as is common.

    How long an example takes says how busy the machine is, and nothing of the code.
    """
    for name, count in (("common", COMMON), ("thorough", THOROUGH)):
        settings.register_profile(name, max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("common")


def examples(count: int) -> int:
    """A number of inputs of a test that needs more or fewer than others, scaled as the profile says."""
    most = settings.default
    assert most is not None
    return max(1, count * most.max_examples // STATED)
