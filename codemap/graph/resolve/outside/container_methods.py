"""What methods of containers from outside the repository give."""

from __future__ import annotations

from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    ContainerMethod,
    Meaning,
    OutsideInstance,
    make_container,
    make_tuple,
    one,
)
from codemap.graph.resolve.outside import contents

TYPE = Confidence.TYPE


def call_method(file: GraphFile, value: ContainerMethod) -> Meaning:
    """The result of calling a method of a container, as `Language.container_methods` says it."""
    parts = value.parts
    match file.language.container_methods.get(value.name):
        case "element":
            return parts.element
        case "value":
            return parts.value
        case "result":
            return parts.result
        case "pointer":
            return contents.point_to(parts.value)
        case "iterator":
            return contents.point_to(parts.element)
        case "self":
            return one(TYPE, make_container(parts.element, parts.value, parts.result))
        case "elements":
            return one(TYPE, make_container(parts.element, parts.element, NOTHING))
        case "values":
            return one(TYPE, make_container(parts.value, parts.value, NOTHING))
        case "items":
            pair = one(TYPE, make_tuple((parts.element, parts.value)))
            return one(TYPE, make_container(pair, pair, NOTHING))
        case _:
            return one(TYPE, OutsideInstance("", ""))
