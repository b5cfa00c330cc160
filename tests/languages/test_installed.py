"""The package that a file outside the repository belongs to."""

from __future__ import annotations

import pytest

from codemap.languages import by_name


@pytest.mark.parametrize(
    ("language", "path", "package"),
    [
        ("py", "/v/lib/python3.11/site-packages/click/core.py", "click"),
        ("py", "/v/lib/python3.11/site-packages/six.py", "six"),
        ("py", "/v/lib/python3.11/site-packages/pandas-stubs/core/frame.pyi", "pandas"),
        ("py", "/usr/lib/python3/dist-packages/yaml/__init__.py", "yaml"),
        ("py", "/usr/lib/python3.11/json/decoder.py", "json"),
        ("py", "/c/ty/vendored/typeshed/2e4d/stdlib/os/path.pyi", "os"),
        ("py", "/c/ty/vendored/typeshed/2e4d/stdlib/builtins.pyi", "builtins"),
        ("py", "/c/typeshed/stubs/PyYAML/yaml/__init__.pyi", "yaml"),
        ("py", "/home/me/other/app.py", ""),
        ("ts", "/r/node_modules/react/index.d.ts", "react"),
        ("ts", "/r/node_modules/@scope/lib/dist/a.d.ts", "@scope/lib"),
        ("ts", "/r/node_modules/a/node_modules/b/index.js", "b"),
        ("ts", "/r/node_modules/@types/react/index.d.ts", "react"),
        ("js", "/r/node_modules/@types/scope__lib/index.d.ts", "@scope/lib"),
        ("ts", "/r/node_modules/@types/node/fs.d.ts", "fs"),
        ("ts", "/r/node_modules/typescript/lib/lib.es5.d.ts", ""),
        ("ts", "/r/node_modules/@typescript/native/lib/lib.es5.d.ts", ""),
        ("ts", "/home/me/other/app.ts", ""),
        ("rs", "/c/registry/src/index.crates.io-6f17d22bba15001f/serde-json-1.0.2/src/lib.rs", "serde-json"),
        ("rs", "/c/rustlib/src/rust/library/alloc/src/vec/mod.rs", "alloc"),
        ("rs", "/usr/share/cargo/registry/tokio-1.24.2/src/lib.rs", "tokio"),
        ("rs", "/home/me/other/src/lib.rs", ""),
    ],
)
def test_package_of(language: str, path: str, package: str) -> None:
    found = by_name()[language].packaging.package_of
    assert found is not None
    assert found(path) == package
