"""What every life of one language server is started with: its program, its project, the disk as it is to see it."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from actors.language_servers.life.document_sync import MirroredDisk
from actors.language_servers.life.file_texts import BaseTextsOver
from actors.language_servers.life.questions_in_flight import Flights
from actors.language_servers.life.running_servers import RunningServers
from actors.language_servers.programs.program import Program
from codemap.lsp.server import Server


class ServerContext(msgspec.Struct, frozen=True):
    """What every life of one server is given."""

    server: Server
    program: Program
    root: str
    """The repository, absolute."""
    running_servers: RunningServers
    disk: MirroredDisk
    flights: Flights
    version: str
    """Of codemap."""

    def over(self, base: BaseTextsOver, idle_stop_s: float) -> ServerContext:
        """The context of a server that sees the texts of another version, and stops after so many idle seconds."""
        server = msgspec.structs.replace(self.server, idle_stop_s=idle_stop_s)
        disk = msgspec.structs.replace(self.disk, texts=base)
        return msgspec.structs.replace(self, server=server, disk=disk, flights=Flights())

    @property
    def state_name(self) -> str:
        """Name of its private folder, the same in all its lives."""
        return blake2b(
            f"{self.folder}\0{self.server.name}".encode("utf-8", "surrogateescape"), digest_size=12
        ).hexdigest()

    @property
    def title(self) -> str:
        """Name and version, as messages show them."""
        return f"{self.server.name} {self.program.version}".strip()

    @property
    def folder(self) -> str:
        """Absolute path of the project that it serves."""
        return f"{self.root}/{self.program.project}" if self.program.project else self.root
