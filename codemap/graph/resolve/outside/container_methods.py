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
    """The result of calling a method of a container, as `Containers.methods` says it."""
    held = value.contents
    match file.language.containers.methods.get(value.name):
        case "element":
            return held.element
        case "value":
            return held.value
        case "result":
            return held.result
        case "pointer":
            return contents.point_to(held.value)
        case "iterator":
            return contents.point_to(held.element)
        case "self":
            return one(TYPE, make_container(held.element, held.value, held.result))
        case "elements":
            return one(TYPE, make_container(held.element, held.element, NOTHING))
        case "values":
            return one(TYPE, make_container(held.value, held.value, NOTHING))
        case "items":
            pair = one(TYPE, make_tuple((held.element, held.value)))
            return one(TYPE, make_container(pair, pair, NOTHING))
        case _:
            return one(TYPE, OutsideInstance("", ""))
