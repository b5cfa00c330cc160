"""Pictures in each format: what is written, and that what a repository is called stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.command_line.subcommands import PICTURES
from codemap.pictures.formats import FORMATS
from codemap.pictures.graphviz import dot
from codemap.pictures.mermaid import mermaid
from codemap.pictures.page import page
from codemap.pictures.picture import NOTE_LINES_MAX, Box, Link, Picture, draw, line_of, lines_of
from codemap.pictures.svg import svg

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "a'b\"c",
    "-->",
    "<!-- ]]> -->",
    "line\nend\r\tof",
    '%%{init: {"securityLevel": "loose"}}%%',
    "`*marked*`",
    "$$\\frac{1}{2}$$",
    '\\N\\G"; evil [label="',
    "&lt;b&gt; &amp;",
    "#quot;#35;",
    'n0"] --> n1["',
    "a|b{c}(d)[e]",
    "end",
    "right\u202eto left\u2066",
    "not utf-8 \udcff",
    "\x1b[31mred\x00\ufffe",
    "漢字の名前",
    "x" * 200,
)
NS = "{http://www.w3.org/2000/svg}"


def picture_of(*names: str) -> Picture:
    boxes = [Box(f"py:{name}", name, name) for name in names]
    links = [Link(boxes[0].key, box.key, box.text) for box in boxes]
    return draw(names[0], boxes, links, (99, 99), [names[0]])


SMALL = draw(
    "Around b",
    [Box("a", "a", "a.py:1"), Box("b", "b", tone="center"), Box("c", "c", tone="aside")],
    [Link("a", "b", "calls"), Link("b", "c", "", is_sure=False), Link("b", "a", "9 uses", weight=9)],
    (9, 9),
    ["1 more"],
)


def test_mermaid() -> None:
    assert mermaid(SMALL).splitlines() == [
        "graph LR",
        '  n0["a<br/>a.py:1"]',
        '  n1["b"]',
        '  n2["c"]',
        '  n0 -->|"calls"| n1',
        "  n1 -.-> n2",
        '  n1 -->|"9 uses"| n0',
        "  style n1 stroke-width:3px",
        "  style n2 stroke-dasharray:3",
        "  %% 1 more",
    ]


def test_dot() -> None:
    assert dot(SMALL).splitlines()[1:] == [
        '  graph [rankdir=LR, fontname="Helvetica", label="Around b\\n1 more"];',
        '  node [shape=box, style=rounded, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=10];',
        '  n0 [label="a\\na.py:1"];',
        '  n1 [label="b", penwidth=2.5];',
        '  n2 [label="c", style="rounded,dashed"];',
        '  n0 -> n1 [label="calls"];',
        '  n1 -> n2 [label="", style=dashed];',
        '  n1 -> n0 [label="9 uses", penwidth=2.06];',
        "}",
    ]


def test_svg() -> None:
    root = ElementTree.fromstring(svg(SMALL))
    assert root.attrib["aria-label"] == "Around b"
    assert [box.attrib["class"] for box in root.iter(f"{NS}rect")] == ["page", "box", "box center", "box aside"]
    assert [link.attrib["class"] for link in root.iter(f"{NS}path")] == ["tip", "link", "link guess", "link back"]
    texts = [text.text for text in root.iter(f"{NS}text")]
    assert texts == ["Around b", "calls", "9 uses", "a", "a.py:1", "b", "c", "1 more"]


def test_boxes_stand_within_the_sheet_and_apart() -> None:
    names = [f"name{place}" for place in range(12)]
    root = ElementTree.fromstring(svg(picture_of(*names)))
    boxes = [one for one in root.iter(f"{NS}rect") if one.attrib["class"] == "box"]
    sides = [[float(box.attrib[name]) for name in ("x", "y", "width", "height")] for box in boxes]
    assert len(sides) == 12
    for place, (x, y, width, height) in enumerate(sides):
        assert x + width <= float(root.attrib["width"])
        assert y + height <= float(root.attrib["height"])
        for left, top, wide, high in sides[:place]:
            assert x + width <= left or left + wide <= x or y + height <= top or top + high <= y


@pytest.mark.parametrize("shape", FORMATS)
def test_the_same_picture_gives_the_same_text(shape: str) -> None:
    write = FORMATS[shape]
    assert write(picture_of(*HOSTILE)) == write(picture_of(*HOSTILE))
    assert write(SMALL).endswith("\n")


def test_names_stay_text_in_svg() -> None:
    root = ElementTree.fromstring(svg(picture_of(*HOSTILE)).encode())
    tags = {element.tag.removeprefix(NS) for element in root.iter()}
    assert tags == {"svg", "style", "defs", "marker", "path", "rect", "g", "title", "text"}
    texts = {text.text for text in root.iter(f"{NS}text")}
    assert {line_of(name) for name in HOSTILE} <= texts


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_names_stay_text_on_a_page() -> None:
    parser = _Tags()
    parser.feed(page(picture_of(*HOSTILE)))
    assert not parser.tags & {"script", "img", "b", "a", "iframe", "link"}
    assert not any(name.startswith("on") or name in ("src", "href", "style") for name in parser.attributes)
    assert {line_of(name) for name in HOSTILE} <= set(parser.text)


def test_a_page_allows_its_styles_and_nothing_else() -> None:
    text = page(SMALL)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert re.fullmatch(r"default-src 'none'; style-src( 'sha256-[\w+/]{43}='){2}", policy)
    assert text.count("<style>") == 2


def test_names_stay_text_in_mermaid() -> None:
    lines = mermaid(picture_of(*HOSTILE)).splitlines()
    text = r"[^\"<>`%$&\\]*"
    shapes = (rf'  n\d+\["{text}(<br/>{text})?"\]', rf'  n\d+ -->\|"{text}"\| n\d+', rf"  %% {text}")
    assert lines[0] == "graph LR"
    assert all(any(re.fullmatch(shape, line) for shape in shapes) for line in lines[1:])
    assert all(re.fullmatch(r"(#(quot|\d+);|[^#])*", line) for line in lines)
    assert len(lines) == 2 + 2 * len(HOSTILE)


def test_names_stay_text_in_dot() -> None:
    text = dot(picture_of(*HOSTILE))
    bare = re.sub(r'"(?:[^"\\]|\\[\\"n])*"', '""', text)
    assert set(re.findall(r"\w+", bare)) - {f"n{place}" for place in range(len(HOSTILE))} == {
        *("digraph", "codemap", "graph", "rankdir", "LR", "fontname", "label", "node", "shape", "box", "style"),
        *("rounded", "edge", "fontsize", "10"),
    }
    assert not re.search(r"&(?!amp;)", text)


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_any_names_give_files_that_can_be_read(names: list[str]) -> None:
    drawn = picture_of(*names)
    texts = {text.text or "" for text in ElementTree.fromstring(svg(drawn).encode()).iter(f"{NS}text")}
    assert {line_of(name) for name in names} <= texts | {""}
    for shape in FORMATS.values():
        shape(drawn).encode()


def test_what_is_left_out_is_counted() -> None:
    boxes = [Box(str(place), "x") for place in range(5)]
    links = [Link("0", str(place), "") for place in range(5)]
    drawn = draw("t", [*boxes, boxes[0]], [*links, links[0], Link("0", "elsewhere", "")], (3, 2), ["first"])
    assert [box.key for box in drawn.boxes] == ["0", "1", "2"]
    assert [link.target for link in drawn.links] == ["0", "1"]
    assert drawn.notes == ("first", "2 more boxes", "1 more arrows")


@pytest.mark.parametrize("shape", FORMATS)
def test_a_note_is_shown_whole(shape: str) -> None:
    note = "No chain leads from one to the other in the direction of calls; this one goes by edges in either direction."
    shown = FORMATS[shape](draw("t", [Box("a", "a")], [], (9, 9), [note]))
    assert note in " ".join(re.sub(r"<[^>]*>|\\n|%%", " ", shown).split())


def test_of_a_note_without_end_the_first_lines_are_shown() -> None:
    lines = lines_of("word " * 500)
    assert len(lines) == NOTE_LINES_MAX
    assert lines[-1].endswith(" …")


def test_the_command_line_offers_what_there_is() -> None:
    assert tuple(FORMATS) == PICTURES
