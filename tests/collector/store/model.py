"""What a store must do, in dictionaries: the model that both stores are compared with."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from hushrank.collector.store.checks import (
    require_blob,
    require_digest,
    require_id,
    require_incoming,
    require_round,
    require_secrets,
    require_small,
)
from hushrank.collector.store.numbers import number_of
from hushrank.collector.store.store import (
    ASKED,
    Acceptance,
    Answer,
    Bin,
    Counts,
    Incoming,
    Joined,
    Kept,
    Kinds,
    NewRound,
    Place,
    Round,
    Secret,
    SigningKey,
    round_mark,
)
from hushrank.errors import require
from hushrank.files.disk import FilePath


@dataclass
class RoundModel:
    """A round and all that came in."""

    blob: bytes
    is_open: bool = True
    tallies: bytes | None = None
    people: dict[bytes, Joined] = field(default_factory=dict)
    decks: Counter[int] = field(default_factory=Counter)
    reports: dict[int, tuple[bytes, tuple[Answer, ...]]] = field(default_factory=dict)
    bins: Counter[datetime] = field(default_factory=Counter)
    conflicts: int = 0

    def accept(self, one: Incoming, now: datetime) -> Acceptance:
        """Take an upload."""
        content = one.key, one.answers
        if self.reports.get(one.number) == content:
            return "same"
        if not self.is_open:
            return "closed"
        if one.number in self.reports:
            self.conflicts += 1
            return "other"
        self.reports[one.number] = content
        self.bins[now.replace(minute=now.minute // 10 * 10, second=0, microsecond=0)] += 1
        return "new"


@dataclass
class SurveyModel:
    """A survey, its rounds and its pictures."""

    blob: bytes
    version: int = 1
    rounds: dict[int, RoundModel] = field(default_factory=dict)
    pictures: dict[bytes, bytes] = field(default_factory=dict)


@dataclass
class ModelStore:
    """A store in memory."""

    surveys: dict[str, SurveyModel] = field(default_factory=dict)
    secrets: dict[tuple[str, bytes], Secret] = field(default_factory=dict)
    keys: dict[int, bytes] = field(default_factory=dict)
    n_joined: int = 0

    async def create(self, survey: str, blob: bytes) -> None:
        require_id(survey, "survey")
        require_blob(blob, "blob")
        require(survey not in self.surveys, "taken")
        self.surveys[survey] = SurveyModel(blob)

    async def load(self, survey: str) -> Kept | None:
        require_id(survey, "survey")
        found = self.surveys.get(survey)
        return found and Kept(survey, found.blob, found.version)

    async def all(self) -> tuple[Kept, ...]:
        return tuple(Kept(name, each.blob, each.version) for name, each in self.surveys.items())

    async def save(
        self, survey: str, blob: bytes, version: int, *, opens: NewRound | None = None
    ) -> bool:
        found = self.surveys.get(survey)
        if not found or found.version != version:
            return False
        found.blob, found.version = blob, version + 1
        if opens:
            found.rounds.setdefault(opens.number, RoundModel(opens.blob))
        return True

    async def delete(self, survey: str) -> bool:
        self.secrets = {name: each for name, each in self.secrets.items() if each.survey != survey}
        return self.surveys.pop(survey, None) is not None

    async def round(self, survey: str, round: int) -> Round | None:
        found = self._round(survey, round)
        return found and Round(found.blob, found.is_open, found.tallies)

    async def close_round(self, survey: str, round: int) -> bool:
        found = self._round(survey, round)
        if not found or not found.is_open:
            return False
        found.is_open = False
        return True

    async def keep_tallies(self, survey: str, round: int, tallies: bytes) -> None:
        closed = self._closed(survey, round)
        closed.tallies = tallies if closed.tallies is None else closed.tallies

    async def forget_people(self, survey: str, round: int) -> None:
        self._closed(survey, round).people.clear()

    async def join(
        self, survey: str, round: int, deck: int, person: bytes, *, once: bool = False
    ) -> Place:
        require_round(survey, round)
        require_small(deck, "deck")
        require_digest(person, "person")
        found = self._round(survey, round)
        if not found or not found.is_open:
            return None
        own = Secret(ASKED, person, round_mark(round), survey)
        if once and self.secrets.setdefault((ASKED, person), own).blob != own.blob:
            return "asked"
        if person in found.people:
            place = found.people[person]
            return replace(place, is_new=False, has_reported=place.number in found.reports)
        self.n_joined += 1
        found.people[person] = Joined(number_of(self.n_joined), found.decks[deck], deck, True)
        found.decks[deck] += 1
        return found.people[person]

    async def accept(self, incoming: Sequence[Incoming], *, now: datetime) -> list[Acceptance]:
        require_incoming(incoming)
        return [self._accept(one, now) for one in incoming]

    async def counts(self, survey: str, round: int) -> Counts:
        found = self._round(survey, round)
        return Counts(found.decks.total(), len(found.reports)) if found else Counts(0, 0)

    async def conflicts(self, survey: str) -> int:
        found = self.surveys.get(survey)
        return sum(each.conflicts for each in found.rounds.values()) if found else 0

    async def progress(self, survey: str, round: int) -> tuple[Bin, ...]:
        found = self._round(survey, round)
        return tuple(Bin(*each) for each in sorted(found.bins.items())) if found else ()

    async def kinds(self, survey: str, round: int) -> AsyncIterator[Kinds]:
        found = self._round(survey, round)
        for _, answers in found.reports.values() if found else ():
            for answer in answers:
                yield Kinds(answer.part, answer.question, {answer.report: 1})

    async def put_secrets(self, secrets: Sequence[Secret]) -> None:
        require_secrets(secrets)
        for secret in secrets:
            require(secret.survey is None or secret.survey in self.surveys, "no survey")
        self.secrets |= {(secret.kind, secret.digest): secret for secret in secrets}

    async def secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        found = self.secrets.get((kind, digest))
        return found if found and not _has_expired(found, now) else None

    async def take_secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        found = await self.secret(kind, digest, now=now)
        self.secrets.pop((kind, digest), None)
        return found

    async def drop_secrets(self, kind: str, survey: str | None) -> int:
        return self._drop(
            [
                name
                for name, each in self.secrets.items()
                if (each.kind, each.survey) == (kind, survey)
            ]
        )

    async def signing_keys(self) -> tuple[SigningKey, ...]:
        return tuple(SigningKey(*each) for each in sorted(self.keys.items()))

    async def add_signing_key(self, number: int, key: bytes) -> bool:
        is_new = number not in self.keys
        self.keys.setdefault(number, key)
        return is_new

    async def drop_signing_key(self, number: int) -> bool:
        return self.keys.pop(number, None) is not None

    async def put_picture(self, survey: str, digest: bytes, picture: bytes) -> None:
        self._survey(survey).pictures[digest] = picture

    async def picture(self, survey: str, digest: bytes) -> bytes | None:
        found = self.surveys.get(survey)
        return found.pictures.get(digest) if found else None

    async def ready(self) -> None:
        pass

    async def sweep(self, now: datetime) -> int:
        return self._drop([name for name, each in self.secrets.items() if _has_expired(each, now)])

    async def backup(self, path: FilePath) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        pass

    def _survey(self, survey: str) -> SurveyModel:
        require(survey in self.surveys, "no survey")
        return self.surveys[survey]

    def _round(self, survey: str, round: int) -> RoundModel | None:
        found = self.surveys.get(survey)
        return found.rounds.get(round) if found else None

    def _closed(self, survey: str, round: int) -> RoundModel:
        found = self._round(survey, round)
        require(found and not found.is_open, "no closed round")
        return found or RoundModel(b"")

    def _accept(self, one: Incoming, now: datetime) -> Acceptance:
        found = self._round(one.survey, one.round)
        return found.accept(one, now) if found else "closed"

    def _drop(self, names: Sequence[tuple[str, bytes]]) -> int:
        for name in names:
            del self.secrets[name]
        return len(names)


def _has_expired(secret: Secret, now: datetime) -> bool:
    return secret.expires is not None and secret.expires <= now
