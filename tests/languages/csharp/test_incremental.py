"""Builds step by step, of sources whose files share names: namespaces, parts, extensions, types by their parameters."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.examples import examples
from tests.graph.test_incremental import Edits

NAMES = """namespace Names
{
    class One { void Marked() { } void Own() { } void Of() { } void Go() { } void Deep() { } void Blank() { } }
    class Two { void Marked() { } void Own() { } void Of() { } void Go() { } void Deep() { } void Blank() { } }
}
"""
"""With these, no name is guessed."""
VARIANTS = {
    "lib/Item.cs": [
        "namespace Lib { public class Item : Base { } }\n",
        "namespace Lib { public class Item : Other { } }\n",
        "namespace Lib { public class Item : Base { public void Own() { } } }\n",
        "namespace Lib { public class Item { } public class Item<T> : Item { public Item<T> Of() => this; } }\n",
        "namespace Elsewhere { public class Item { public void Own() { } } }\n",
        "namespace Lib { public partial class Item : Base { public void Go(int n) { } } }\n",
    ],
    "lib/Base.cs": [
        "namespace Lib { public class Base { public void Deep() { } } public class Other { } }\n",
        "namespace Lib { public class Base : Other { } public class Other { public void Deep() { } } }\n",
        "namespace Lib; public class Other { } public partial class Item { public void Go(string s) { } }\n",
    ],
    "lib/Extensions.cs": [
        "namespace Lib { public static class E { public static Item Marked(this Item item) => item; } }\n",
        "namespace Lib { public static class E { public static Base Marked(this Base item) => item; } }\n",
        "namespace Lib.Deep { public static class E { public static void Marked(this Item item, int n) { } } }\n",
        "namespace Lib { public static class E { public static void Marked(Item item) { } } }\n",
    ],
    "lib/More.cs": [
        "namespace Lib { public static class M { public static void Marked(this Other item) { } } }\n",
        "namespace Lib { public static class M { public static bool Blank(this string s) => true; } }\n",
        "global using Lib.Deep;\nnamespace More { class Empty { } }\n",
        "global using Lib;\n",
    ],
    "app/Main.cs": [
        "using Lib;\nnamespace App { class Main { void Go(Item i, Item<int> g)"
        ' { i.Marked(); i.Marked(1); i.Deep(); i.Own(); g.Of().Of(); i.Go(1); i.Go(""); } } }\n',
        "namespace Lib.App { class Main { Item i; Other o;"
        ' void Go() { i.Marked().Deep(); o.Marked(); i.Marked(1); "".Blank(); } } }\n',
        "using Kept = Lib.Item;\nnamespace App { class Main { void Go(Kept i) { i.Own(); i.Marked(); } } }\n",
        'namespace App { class Main { void Go(Item i, Base b) { i.Own(); b.Deep(); b.Marked(); "".Blank(); } } }\n',
    ],
    "app/Other.cs": [
        "using Lib;\nnamespace App { class Special : Item { void Go() { Own(); Deep(); this.Marked(); } } }\n",
        "using Elsewhere;\nnamespace App { class Special : Item { void Go(Item i) { i.Own(); i.Marked(); } } }\n",
        "using static Lib.E;\nnamespace App { class Special { void Go(Lib.Item i) { Marked(i); i.Marked(); } } }\n",
        "namespace App { class Special { } }\nnamespace Lib { class Item { public void Own() { } } }\n",
    ],
}


_TYPES = "public class Base { } public class Other { }"
EXTENSIONS = {
    "item.cs": [
        f"namespace Lib {{ public class Item : Base {{ }} {_TYPES} }}\n",
        f"namespace Lib {{ public class Item : Other {{ }} {_TYPES} }}\n",
    ],
    "one.cs": [
        "namespace Lib { public static class One { public static Item Marked(this Base item) => null; } }\n",
        "namespace Lib { public static class One { public static Item Marked(this Other item) => null; } }\n",
        "namespace Deep { public static class One { public static void Marked(this Lib.Item item) { } } }\n",
    ],
    "two.cs": [
        "namespace Lib { public static class Two { public static void Marked(this Item item) { } } }\n",
        "namespace Lib { public static class Else { public static void Marked(this Other item) { } } }\n",
    ],
    "main.cs": [
        "using Lib;\nnamespace App { class Main { void Go(Item i, Other o) { i.Marked(); o.Marked(); } } }\n",
        "using Lib;\nusing Deep;\nnamespace App { class Main { void Go(Item i) { i.Marked().Marked(); } } }\n",
    ],
}


class CSharpEdits(Edits):
    """Edits of what other files see without naming the file."""

    variants = VARIANTS

    def __init__(self) -> None:
        super().__init__()
        self.change({"names/Names.cs": NAMES.encode()})


class ExtensionEdits(CSharpEdits):
    """Edits of extensions, and of the types that they extend."""

    variants = EXTENSIONS


for machine in (CSharpEdits, ExtensionEdits):
    machine.TestCase.settings = settings(
        max_examples=examples(30), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
    )
TestCSharpEdits = CSharpEdits.TestCase
TestExtensionEdits = ExtensionEdits.TestCase
