"""Sends the finished map of a commit to a shared store, and fetches it for another checkout.

A map is found by the tree of a commit and by the settings that decide what a map has. A fetched map becomes the one
that the store of this machine has of the checkout: the next start loads it and compares it with the disk, as ever.

Rules of the file:
- A file counts as the one that the map was made of only where git's index says so: the same object, and the size and
  times on disk that git noted. Every other file is read at the next start, and parsed if it differs.
- What cannot be done raises `NotTransferred` with a sentence for people.

Source: git's documentation, "Use of index and racy Git problem".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import msgspec
import trio

from actors.database.store_file import StoreFile
from actors.database.store_location import facts_maker, map_maker, settings_key
from actors.database.stored_facts import facts_key
from actors.database.tables import StoreTrouble
from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import FileRecord, Published
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.indexing.stored_metadata import Meta, decoded, encoded, meta_of, split
from actors.messaging.messages import FileStat
from actors.ports import GitOutput, NoGit, Ports
from actors.remote.opening import Sharing
from actors.remote.remote import RemoteTrouble
from actors.revisions.blobs import object_id
from actors.revisions.trees import Entry, index_of, tree_of
from codemap.extract.extract import dialect_of
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.shared_facts.entries import Content
from codemap.shared_facts.map_parts import BadMap, TravellingMap, join_map, map_name, piece_names, split_map

COMMITS_TRIED = 50
"""Commits from HEAD backwards of which a map is looked for: that of the last push is as good, less what differs."""

TRANSFER_MAX_S = 600.0
"""How long the entries of a map may take together."""

READ_AT_ONCE = 200
"""Files read in one step."""

NANOSECONDS = 1_000_000_000


class NotTransferred(Exception):
    """Raised when a map cannot be sent or fetched; the message is a sentence."""


class Transferred(msgspec.Struct, frozen=True):
    """A map that was sent or fetched."""

    commit: str
    files: int
    recorded: int
    """Files that are as the commit has them: none of these is read at the next start."""
    size: int
    """Bytes of its entries."""


async def push_map(published: Published[Snapshot], settings: Settings, sharing: Sharing, ports: Ports) -> Transferred:
    """Sends a map of the files on disk, under the commit that is checked out. Raises NotTransferred."""
    _check(sharing)
    [(commit, tree), *_] = await _commits(ports, 1)
    said = await tree_of(ports, commit)
    if isinstance(said, NoGit):
        raise NotTransferred(f"git cannot list the commit: {said.why}.")
    objects = await _as_committed(published, said.files, ports)
    above = await _above(ports)
    name = map_name(map_maker(), settings_key(settings), tree, above)
    pieces, listed = await ports.run_in_thread(partial(_packed, name, published, commit, objects, sharing.key))
    try:
        with trio.fail_after(TRANSFER_MAX_S):
            there = await sharing.remote.having(list(pieces))
            await sharing.remote.put_many({one: piece for one, piece in pieces.items() if one not in there})
            await sharing.remote.put_many({name: listed})
    except RemoteTrouble as trouble:
        raise NotTransferred(f"{sharing.remote.place}: {trouble}.") from trouble
    except trio.TooSlowError:
        raise NotTransferred(f"{sharing.remote.place} took longer than {TRANSFER_MAX_S:g} s.") from None
    size = len(listed) + sum(map(len, pieces.values()))
    return Transferred(commit, len(published.snapshot.files), sum(map(bool, objects)), size)


async def pull_map(settings: Settings, sharing: Sharing, file: StoreFile, ports: Ports) -> Transferred:
    """Fetches the map of the latest commit that has one, and keeps it for the next start. Raises NotTransferred."""
    _check(sharing)
    try:
        with trio.fail_after(TRANSFER_MAX_S):
            travelling, size = await _fetch(settings, sharing, ports)
    except RemoteTrouble as trouble:
        raise NotTransferred(f"{sharing.remote.place}: {trouble}.") from trouble
    except trio.TooSlowError:
        raise NotTransferred(f"{sharing.remote.place} took longer than {TRANSFER_MAX_S:g} s.") from None
    except BadMap as bad:
        raise NotTransferred(f"The map in {sharing.remote.place} is not to be used: {bad}.") from bad
    try:
        meta = decoded(travelling.head)
        head, recorded = await _recorded(meta, travelling.objects, ports)
    except ValueError as error:
        raise NotTransferred(f"The map in {sharing.remote.place} is not to be used: {error}.") from error
    facts = travelling.facts
    save = partial(file.save, encoded(head), travelling.parts, travelling.keys, facts.__getitem__)
    try:
        await ports.run_in_thread(partial(save, ports.wall_ns() // NANOSECONDS))
    except StoreTrouble as trouble:
        raise NotTransferred(f"It cannot be kept: {trouble}.") from trouble
    return Transferred(travelling.commit, len(meta.records), recorded, size)


def _check(sharing: Sharing) -> None:
    if sharing.content is Content.NAMES:
        raise NotTransferred("A map has signatures and docs, which --facts-share names leaves out: none is sent.")


async def _commits(ports: Ports, count: int) -> list[tuple[str, str]]:
    """Lists commits and their trees from HEAD backwards, at least one."""
    said = await ports.ask_git(["log", "--first-parent", f"--max-count={count}", "--format=%H %T", "HEAD", "--"])
    if isinstance(said, NoGit):
        raise NotTransferred(f"A map is found by its commit, and git has none here: {said.why}.")
    found = [(commit, tree) for commit, _, tree in (line.partition(" ") for line in said.text.decode().splitlines())]
    if not found:
        raise NotTransferred("A map is found by its commit, and there is none yet.")
    return found


async def _above(ports: Ports) -> str:
    said = await ports.ask_git(["rev-parse", "HEAD"])
    return said.above if isinstance(said, GitOutput) else ""


async def _as_committed(published: Published[Snapshot], committed: Mapping[str, str], ports: Ports) -> tuple[str, ...]:
    """Finds the object ID of each recorded file, in order; empty where its content is not the commit's."""
    digits = len(next(iter(committed.values()), ""))
    found: dict[str, str] = {}
    paths = [path for path, record in published.files.items() if record.digest and path in committed]
    for begin in range(0, len(paths), READ_AT_ONCE):
        for path, read in (await ports.read_files(paths[begin : begin + READ_AT_ONCE])).items():
            if digest_of(read.content) != published.files[path].digest:
                continue
            if object_id(read.content, digits) == committed[path]:
                found[path] = committed[path]
    return tuple(found.get(path, "") for path in published.files)


def _packed(
    name: str, published: Published[Snapshot], commit: str, objects: tuple[str, ...], key: bytes | None
) -> tuple[dict[str, bytes], bytes]:
    codec, snapshot, maker = SnapshotCodec(), published.snapshot, facts_maker()
    travelling = TravellingMap(
        commit=commit,
        head=encoded(meta_of(published)),
        parts=tuple(codec.pack(snapshot)),
        keys=tuple(facts_key(maker, dialect_of(path), digest) for path, digest in codec.contents(snapshot)),
        facts=tuple(codec.facts(snapshot, number) for number in range(len(snapshot.files))),
        objects=objects,
    )
    return split_map(name, travelling, key)


async def _fetch(settings: Settings, sharing: Sharing, ports: Ports) -> tuple[TravellingMap, int]:
    """Fetches the map of the latest commit that has one, and the size of its entries in bytes."""
    commits, above = await _commits(ports, COMMITS_TRIED), await _above(ports)
    names = [map_name(map_maker(), settings_key(settings), tree, above) for _, tree in commits]
    lists: dict[str, bytes] = {}
    await sharing.remote.get_many(list(dict.fromkeys(names)), lists.__setitem__)
    name = next((one for one in names if one in lists), None)
    if name is None:
        last = f"the last {len(commits)} commit(s)"
        raise NotTransferred(f"{sharing.remote.place} has no map of {last} by this version and these settings.")
    pieces: dict[str, bytes] = {}
    await sharing.remote.get_many(piece_names(name, lists[name], sharing.key), pieces.__setitem__)
    travelling = await ports.run_in_thread(partial(join_map, name, lists[name], pieces, sharing.key))
    return travelling, len(lists[name]) + sum(map(len, pieces.values()))


async def _recorded(meta: Meta, objects: tuple[str, ...], ports: Ports) -> tuple[Meta, int]:
    """Replaces the records of files by those of this disk, and counts the files that need not be read. Raises
    ValueError."""
    paths = split(meta.files)
    if not len(paths) == len(objects) == len(meta.records):
        raise ValueError("it has not as many records as files")
    index = await index_of(ports)
    entries = {} if isinstance(index, NoGit) else index.entries
    written_ns = 0 if isinstance(index, NoGit) else index.written_ns
    stats = await ports.stat_files(paths)
    records: list[FileRecord] = []
    for path, record, made_of in zip(paths, meta.records, objects, strict=True):
        stat, entry = stats.get(path), entries.get(path)
        is_same = (
            stat is not None
            and entry is not None
            and (made_of, record.stat.size) == (entry.object_id, stat.size)
            and _is_noted(stat, entry, written_ns)
        )
        known = stat if is_same and stat is not None else record.stat
        records.append(msgspec.structs.replace(record, stat=known, is_settled=is_same))
    recorded = sum(record.is_settled for record in records)
    return msgspec.structs.replace(meta, records=tuple(records)), recorded


def _is_noted(stat: FileStat, entry: Entry, written_ns: int) -> bool:
    """Whether a file is as git saw it last: it cannot have changed since without another time."""
    is_same = (stat.size, stat.mtime_ns, stat.ctime_ns) == (entry.size, entry.mtime_ns, entry.ctime_ns)
    return is_same and max(stat.mtime_ns, stat.ctime_ns) < written_ns
