"""Module resolvers of a stored map, which the first build or question makes that asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from codemap.languages import by_name
from codemap.project import ModuleResolver, Project


class LaterResolvers(Mapping[str, ModuleResolver]):
    """Module resolvers by language."""

    def __init__(self, langs: Sequence[str], make_project: Callable[[], Project]) -> None:
        self._langs = langs
        self._make_project = make_project

    @cached_property
    def _made(self) -> dict[str, ModuleResolver]:
        project = self._make_project()
        return {name: by_name()[name].modules(project) for name in self._langs}

    def __getitem__(self, lang: str) -> ModuleResolver:
        return self._made[lang]

    def __iter__(self) -> Iterator[str]:
        return iter(self._langs)

    def __len__(self) -> int:
        return len(self._langs)
