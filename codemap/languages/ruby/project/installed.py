"""Which gem a file outside the repository belongs to, by where RubyGems, Bundler and Debian keep them."""

from __future__ import annotations

import re

_GEM = re.compile(r"/gems/(?P<name>[\w.-]+?)-\d[\w.]*(?:-[\w-]+)?/")
_STANDARD = re.compile(r"/(?:lib/ruby|rubylibprefix)/(?:\d[\d.]*|vendor_ruby)/(?P<name>[\w-]+)")


def package_of(path: str) -> str:
    """`rack` of `…/gems/rack-3.0.8/lib/rack.rb`; of the standard library, the first folder; else empty."""
    found = _GEM.search(path) or _STANDARD.search(path)
    return "" if found is None else found["name"]
