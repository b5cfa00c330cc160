"""The page as a file with a map in it."""

from __future__ import annotations

import json
import re

from actors.view.page import page_of_map, page_text
from codemap.pictures.content_policy import hash_source

HOSTILE = '</script><script>alert(1)</script><!--<img src=x onerror="alert(2)">'
TITLE = 'a <b> & "c"'


def test_what_a_repository_says_stays_data() -> None:
    data = json.dumps({"files": [[HOSTILE]]})
    page = page_of_map(data, TITLE)
    (stored,) = re.findall(r'<script type="application/json" id="stored">(.*?)</script>', page, re.DOTALL)
    assert "<" not in stored
    assert json.loads(stored) == {"files": [[HOSTILE]]}
    assert "<title>a &lt;b&gt; &amp; &quot;c&quot;</title>" in page
    assert len(page) < len(page_text()) + len(data) + 1000


def test_nothing_is_loaded_and_only_what_ships_runs() -> None:
    page = page_of_map("{}", "map")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    (script,) = re.findall(r"<script>(.*?)</script>", page_text(), re.DOTALL)
    assert rules["script-src"] == hash_source(script)
    assert f"<script>{script}</script>" in page
    assert "connect-src" not in rules
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_the_same_map_gives_the_same_file() -> None:
    assert page_of_map('{"a":1}', "map") == page_of_map('{"a":1}', "map")
