"""What one command writes besides its answer."""

from __future__ import annotations

from actors.command_line.one_command import least_shown
from actors.messaging.log import Severity
from codemap.settings import Settings


def test_only_errors_are_logged_unless_the_settings_say_otherwise() -> None:
    assert least_shown(Settings()) is Severity.ERROR
    assert least_shown(Settings(log_level="warning")) is Severity.WARNING
