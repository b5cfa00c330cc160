"""Caches the texts of files on disk: read once as long as they do not change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping

import msgspec

from actors.messaging.messages import FileStat
from actors.ports import Content, Ports
from codemap.lsp.positions import Lines

FILES_MAX = 128
"""Texts in the cache: an answer seldom names more files, and the next is likely to name the same."""


class Text(msgspec.Struct, frozen=True):
    """The text of a file when it was read."""

    stat: FileStat
    is_settled: bool
    """False where a later change might leave the stat alone."""
    text: str
    """The text, undecodable bytes replaced."""
    lines: Lines


class Texts:
    """A cache of the texts that were read last."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._kept: OrderedDict[str, Text] = OrderedDict()

    async def read(self, paths: Collection[str]) -> dict[str, Text]:
        """Reads the present texts; files that cannot be read are left out."""
        stats = await self._ports.stat_files(paths)
        found = {path: kept for path in paths if (kept := self._kept.get(path)) and kept.stat == stats.get(path)}
        missing = [path for path in paths if path in stats and path not in found]
        if missing:
            for path, content in (await self._ports.read_files(missing)).items():
                found[path] = _text_of(content)
                if content.is_settled:
                    self._kept[path] = found[path]
        for path in found:
            if path in self._kept:
                self._kept.move_to_end(path)
        while len(self._kept) > FILES_MAX:
            self._kept.popitem(last=False)
        return found


class BaseTextsOver:
    """The texts of another version where files differ from it, those on disk elsewhere."""

    def __init__(self, disk: Texts | BaseTextsOver) -> None:
        self._disk = disk
        self.texts: dict[str, Text] = {}

    def add(self, texts: Mapping[str, str]) -> None:
        for path, text in texts.items():
            if path not in self.texts:
                self.texts[path] = Text(FileStat(len(text), 0), True, text, Lines(text))

    def replace(self, texts: Mapping[str, str]) -> None:
        """Becomes another version. A file with the same text in both keeps that very object."""
        self.texts = {path: kept for path, kept in self.texts.items() if texts.get(path) == kept.text}
        self.add(texts)

    async def read(self, paths: Collection[str]) -> dict[str, Text]:
        """Reads texts as `Texts.read` does."""
        found = await self._disk.read([path for path in paths if path not in self.texts])
        return found | {path: self.texts[path] for path in paths if path in self.texts}


def _text_of(content: Content) -> Text:
    text = content.content.decode("utf-8", "replace").removeprefix("\ufeff")
    return Text(content.stat, content.is_settled, text, Lines(text))
