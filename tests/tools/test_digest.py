"""What an overview says, made before anybody asks."""

from __future__ import annotations

import msgspec

from actors.indexing.snapshot_builder import SnapshotBuilder
from codemap.graph.build.build import build_snapshot, ranked
from codemap.graph.model.steps import finish
from codemap.tools.overview.digest import digest_of, warm_digest
from codemap.tools.overview.parts import parts_of
from codemap.tools.params import MapListParams

SOURCES = {
    "shop/cart.py": b"class Cart:\n    def add(self): ...\n",
    "shop/till.py": b"from shop.cart import Cart\n\n\ndef pay(cart: Cart):\n    cart.add()\n",
    "tests/test_cart.py": b"from shop.cart import Cart\n\nCart().add()\n",
}


def test_what_is_made_in_steps_is_what_a_call_would_make() -> None:
    snapshot = finish(ranked(build_snapshot(SOURCES)))
    fresh = msgspec.structs.replace(snapshot)
    steps = list(warm_digest(snapshot))
    parts = parts_of(snapshot, "", MapListParams())
    assert len(steps) > 1
    assert digest_of(snapshot, parts, "") == digest_of(fresh, parts_of(fresh, "", MapListParams()), "")
    assert list(warm_digest(snapshot)) == steps[:1], "it is made once"


def test_a_map_that_is_polished_comes_with_it() -> None:
    unranked = msgspec.structs.replace(build_snapshot(SOURCES), is_ranked=False)
    steps = SnapshotBuilder().polish(unranked)
    assert steps is not None
    assert len(list(warm_digest(finish(steps)))) == 1
