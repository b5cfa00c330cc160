"""Sends questions to the language servers of a service, by language family, and shows their status."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from actors.language_servers.status import Stage, Standing
from actors.language_servers.verification_progress import Verification
from actors.messaging.inbox import Inbox
from actors.messaging.messages import Lane, LanguageMessage, Live, Unavailable
from actors.messaging.supervise import Supervisor
from codemap.languages import by_name, language_of
from codemap.languages.language import Language
from codemap.live_queries import Because, Fact, LiveQuestion, Missed, WorkspaceSymbols, file_asked_about


class Speaking(msgspec.Struct, frozen=True):
    """The supervisor of one family, and what others see of it."""

    languages: Mapping[str, Language]
    """Languages by short name."""
    inbox: Inbox[LanguageMessage]
    standing: Standing
    supervisor: Supervisor


class LanguageServers:
    """The supervisors of all families; none where live navigation is off."""

    def __init__(self, families: Mapping[str, Speaking]) -> None:
        self.families = families
        """By name."""
        self.verification = Verification()
        """Written by the verifier."""

    async def ask(self, question: LiveQuestion, lane: Lane) -> Fact:
        """Asks the language server of the question's language: its answer, or why there is none.

        The asker's cancel scope is the deadline. Raises ActorDied when the language's actor fails meanwhile.
        """
        file = file_asked_about(question)
        language = by_name().get(question.language) if isinstance(question, WorkspaceSymbols) else language_of(file)
        if language is None:
            return Missed(Because.UNAVAILABLE, f"no language is known for {file}")
        speaking = self.families.get(language.family)
        if speaking is None:
            why = f"none is known for {language.title}" if self.families else "live navigation is switched off"
            return Missed(Because.UNAVAILABLE, why, "" if self.families else "--live on", language.name)
        fact = await speaking.inbox.address.ask(Live(question, lane))
        return Missed(Because.FAILED, fact.reason, "", language.name) if isinstance(fact, Unavailable) else fact

    def stage(self, language: str) -> Stage:
        """The stage of the server of a language."""
        speaking = next((one for one in self.families.values() if language in one.languages), None)
        return Stage.ABSENT if speaking is None else speaking.standing.stage(language)

    def status(self) -> dict[str, dict[str, object]]:
        """The status of the servers by short name of the language, for `map_status`."""
        return {
            language: speaking.standing.status(language) | {"verification": self.verification.status(family)}
            for family, speaking in self.families.items()
            for language in speaking.languages
        }
