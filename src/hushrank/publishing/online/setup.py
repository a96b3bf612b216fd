"""All that a stream is made of, as bytes: who, what, what is known of it, and by which rules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isinf
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity, Scores
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Shares, WholeNumbers
from hushrank.errors import HushrankError, require
from hushrank.publishing.item_channel.learning_error import MOST_GROUPS, learnt_population
from hushrank.publishing.item_channel.problem import ActivityPopulation
from hushrank.publishing.online.publisher import OnlinePublisher
from hushrank.publishing.online.rules import StreamRules
from hushrank.redacted import Redacted


class SetupDocument(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`StreamSetup`; protects: a number of `names` for each user, -1 = nothing."""

    version: Literal[2]
    users: list[str]
    items: list[str]
    names: list[str]
    joints: list[bytes]
    without: list[bytes]
    protects: list[int]
    rules: dict[str, Any]
    history: tuple[bytes, bytes, bytes] | None


@dataclass(frozen=True, eq=False, repr=False)
class StreamSetup:
    """Users and items by name, what each user protects (users,), and what is known of activities.

    history (users, items): counts that the recipient holds already.
    Privacy: raw; neither `repr` nor an error shows who protects what.
    """

    users: tuple[str, ...]
    items: tuple[str, ...]
    populations: Mapping[str, ActivityPopulation]
    protects: tuple[str | None, ...]
    rules: StreamRules
    history: "Scores | None" = None

    def __repr__(self) -> str:
        """Say the size only."""
        return f"StreamSetup({len(self.users)} users, {len(self.items)} items)"

    def publisher(self) -> OnlinePublisher:
        """Return a publisher that nobody has used."""
        return OnlinePublisher(self.populations, self.protects, self.rules, self.history)

    def to_bytes(self) -> bytes:
        """Return MessagePack, which `from_bytes` turns back exactly."""
        names = sorted(self.populations)
        joints = [_bytes(self.populations[name].joint) for name in names]
        protects = [-1 if name is None else names.index(name) for name in self.protects]
        without = [_bytes(self.populations[name].without) for name in names]
        lists = list(self.users), list(self.items), names, joints, without, protects
        history = None if self.history is None else _cells(self.history)
        return msgspec.msgpack.encode(SetupDocument(2, *lists, asdict(self.rules), history))

    @classmethod
    def from_bytes(cls, content: bytes) -> "StreamSetup":
        """Return the setup; raise HushrankError when it is damaged or of another version."""
        try:
            return cls._of(msgspec.msgpack.decode(content, type=SetupDocument))
        except (msgspec.ValidationError, msgspec.DecodeError, ValueError, TypeError, IndexError):
            raise HushrankError("expected the state of `publish online`, version 2") from None

    @classmethod
    def _of(cls, document: SetupDocument) -> "StreamSetup":
        learnt = zip(document.joints, document.without, strict=True)
        populations = [_population(*content, len(document.items)) for content in learnt]
        named = dict(zip(document.names, populations, strict=True))
        size, known = (len(document.users), len(document.items)), range(-1, len(document.names))
        whole = len(document.protects) == size[0] and set(document.protects) <= set(known)
        require(whole, "expected the state of `publish online`, version 2")
        kinds = [*document.names, None]  # -1 is the last
        protects = tuple(kinds[number] for number in document.protects)
        history = None if document.history is None else _scores(document.history, size)
        people = tuple(document.users), tuple(document.items)
        return cls(*people, named, protects, StreamRules(**document.rules), history)


class Learn(Protocol):
    """Returns what activity tells of an attribute, by code of each user (users,), -1 = untold."""

    def __call__(self, codes: WholeNumbers, n_values: int) -> ActivityPopulation:
        """Learn from the users who tell; raise HushrankError where they are too few."""


def stream_setup(
    activity: Activity,
    profiles: Profiles,
    private: Sequence[str],
    rules: StreamRules,
    *,
    history: Activity | None = None,
) -> StreamSetup:
    """Learn from activity so far what an item tells of what users protect of `private`.

    Users are those of both; one without a profile protects everything. Each set of attributes that
    somebody protects is one attribute, learnt from all users who tell all of it. history: whole
    counts that the recipient holds already.
    Raises HushrankError when nobody protects any, for a history of other users or items, for a
    limit with fewer than 16 active users of a value, and as `learnt_population`.
    """
    users = all_users(activity.users, profiles)
    scores = activity.aligned(users, activity.items).scores

    def learn(codes: WholeNumbers, n_values: int) -> ActivityPopulation:
        told = codes >= 0
        return learnt_population(scores[told], codes[told], n_values)

    return setup_by(learn, users, activity.items, profiles, private, rules, history=history)


def all_users(active: Sequence[str], profiles: Profiles) -> tuple[str, ...]:
    """Return the users with activity, and then those who have a profile alone."""
    known = set(active)
    return (*active, *(user for user in profiles.users if user not in known))


def setup_by(
    learn: Learn,
    users: tuple[str, ...],
    items: tuple[str, ...],
    profiles: Profiles,
    private: Sequence[str],
    rules: StreamRules,
    *,
    history: Activity | None = None,
) -> StreamSetup:
    """Return the setup of `stream_setup`, wherever the activity lies that `learn` learns from."""
    require("+" not in "".join(private), "expected names of attributes without +, which joins them")
    known = profiles.aligned(users)
    protects: list[str | None] = [None] * len(users)
    populations = {}
    for names, rows in known.protection(private).items():
        if names:
            attribute = known.joint(names)
            populations["+".join(names)] = learn(attribute.codes, attribute.n_values)
            for row in rows:
                protects[row] = "+".join(names)
    require(populations, "expected users who protect something")
    _require_known_enough(populations.values(), rules)
    held = None if history is None else _held(history, users, items)
    return StreamSetup(users, items, populations, tuple(protects), rules, held)


def _require_known_enough(populations: Iterable[ActivityPopulation], rules: StreamRules) -> None:
    """A limit must not rest on an estimate from next to nothing."""
    fewest = min(1 if each.without is None else each.without.shape[1] for each in populations)
    message = f"expected activity of {MOST_GROUPS} or more users of each private value for a limit"
    require(isinf(rules.limit) or fewest >= MOST_GROUPS, message)


def _held(history: Activity, users: Sequence[str], items: Sequence[str]) -> Scores:
    n_users = len(set(history.users) - set(users))
    require(n_users == 0, f"expected a history of known users, got {n_users} others")
    n_items = len(set(history.items) - set(items))
    require(n_items == 0, f"expected a history of known items, got {n_items} others")
    return history.aligned(users, items).scores


def _cells(scores: Scores) -> tuple[bytes, bytes, bytes]:
    whole = (scores.indptr.astype("<i8"), scores.indices.astype("<i8"))
    return whole[0].tobytes(), whole[1].tobytes(), scores.data.astype("<f8").tobytes()


def _scores(cells: tuple[bytes, bytes, bytes], shape: tuple[int, int]) -> Scores:
    starts, indices = (np.frombuffer(part, "<i8") for part in cells[:2])
    values = np.frombuffer(cells[2], "<f8").astype(np.float64)
    return csr_array((values, indices, starts), shape=shape)


def _bytes(table: Shares | None) -> bytes:
    return b"" if table is None else table.astype("<f8").tobytes()


def _population(joint: bytes, without: bytes, n_items: int) -> ActivityPopulation:
    shares = np.frombuffer(joint, "<f8").astype(np.float64).reshape(n_items, -1)
    others = np.frombuffer(without, "<f8").astype(np.float64)
    return ActivityPopulation(
        shares, others.reshape(n_items, -1, shares.shape[1]) if others.size else None
    )
