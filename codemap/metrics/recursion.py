"""Functions that call themselves, directly or by others.

Each of them is one increment of cognitive complexity (G. A. Campbell, "Cognitive Complexity", SonarSource).
"""

from __future__ import annotations

import numpy as np

from codemap.graph.model.edges import EdgeKind, Ints
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence


def recursive_nodes(snapshot: Snapshot) -> frozenset[int]:
    """The nodes that are in a cycle of calls which are known for certain. Cost: a few passes over the calls."""
    edges = snapshot.edges
    wanted = (edges.kind == EdgeKind.CALLS) & (edges.confidence <= Confidence.TYPE)
    source, target = edges.source[wanted], edges.target[wanted]
    source, target = _in_cycles_perhaps(source, target, snapshot.node_count)
    return frozenset(_in_cycles(source.tolist(), target.tolist()))


def _in_cycles_perhaps(source: Ints, target: Ints, count: int) -> tuple[Ints, Ints]:
    """The calls without those whose caller nobody calls or whose callee calls nobody, as long as there are any."""
    while True:
        leaves = np.bincount(source, minlength=count) > 0
        arrives = np.bincount(target, minlength=count) > 0
        kept = arrives[source] & leaves[target]
        if kept.all():
            return source, target
        source, target = source[kept], target[kept]


def _in_cycles(source: list[int], target: list[int]) -> set[int]:
    """The nodes of strongly connected components of more than one node, or with an edge to themselves.

    Source: R. Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972), without recursion.
    """
    callees: dict[int, list[int]] = {}
    found: set[int] = set()
    for caller, callee in zip(source, target, strict=True):
        callees.setdefault(caller, []).append(callee)
        if caller == callee:
            found.add(caller)
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    is_stacked: set[int] = set()
    for root in callees:
        work = [(root, 0)] if root not in order else []
        while work:
            node, at = work.pop()
            if at == 0:
                order[node] = low[node] = len(order)
                stack.append(node)
                is_stacked.add(node)
            else:
                low[node] = min(low[node], low[callees[node][at - 1]])
            following = callees.get(node, [])
            while at < len(following) and following[at] in order:
                if following[at] in is_stacked:
                    low[node] = min(low[node], order[following[at]])
                at += 1
            if at < len(following):
                work += [(node, at + 1), (following[at], 0)]
                continue
            if low[node] == order[node]:
                component = [stack.pop()]
                while component[-1] != node:
                    component.append(stack.pop())
                is_stacked.difference_update(component)
                found.update(component if len(component) > 1 else ())
    return found
