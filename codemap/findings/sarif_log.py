"""The objects of a SARIF log, as far as they are read here: what is not named is passed over.

Source: SARIF 2.1.0 (OASIS), section 3.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Camel(msgspec.Struct, frozen=True, rename="camel"):
    """Of SARIF's objects only what is read here; members of others are passed over."""


class Text(Camel, frozen=True):
    text: str = ""
    id: str = ""
    arguments: list[str] = []


class Configuration(Camel, frozen=True):
    level: str = ""


class Rule(Camel, frozen=True):
    id: str = ""
    name: str = ""
    short_description: Text = Text()
    message_strings: dict[str, Text] = {}
    default_configuration: Configuration = Configuration()
    properties: dict[str, Any] = {}


class Component(Camel, frozen=True):
    name: str = ""
    version: str = ""
    semantic_version: str = ""
    rules: list[msgspec.Raw] = []


class Tool(Camel, frozen=True):
    driver: Component = Component()
    extensions: list[Component] = []


class Artifact(Camel, frozen=True):
    uri: str = ""
    uri_base_id: str = ""
    index: int = -1


class Scanned(Camel, frozen=True):
    location: Artifact = Artifact()
    roles: list[str] = []


class Region(Camel, frozen=True):
    start_line: int = 0
    start_column: int = 0
    end_line: int = 0


class Physical(Camel, frozen=True):
    artifact_location: Artifact = Artifact()
    region: Region = Region()


class Location(Camel, frozen=True):
    physical_location: Physical = Physical()


class Named(Camel, frozen=True):
    id: str = ""
    index: int = -1
    tool_component: Artifact = Artifact()


class Suppression(Camel, frozen=True):
    status: str = "accepted"


class Result(Camel, frozen=True):
    rule_id: str = ""
    rule_index: int = -1
    rule: Named = Named()
    level: str = ""
    kind: str = ""
    message: Text = Text()
    locations: list[Location] = []
    suppressions: list[Suppression] = []
    baseline_state: str = ""
    properties: dict[str, Any] = {}


class Notification(Camel, frozen=True):
    level: str = "warning"
    message: Text = Text()


class Invocation(Camel, frozen=True):
    execution_successful: bool = True
    tool_execution_notifications: list[Notification] = []
    tool_configuration_notifications: list[Notification] = []


class LogRun(Camel, frozen=True):
    tool: Tool = Tool()
    results: list[msgspec.Raw] | None = None
    artifacts: list[msgspec.Raw] = []
    original_uri_base_ids: dict[str, Artifact] = {}
    column_kind: str = ""
    invocations: list[msgspec.Raw] = []


class Log(Camel, frozen=True):
    version: str = ""
    runs: list[msgspec.Raw] = []
