"""Release activities one by one, as they happen: Algorithm 4 as a stream."""

import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

import numpy as np

from hushrank.activities.activity import Scores
from hushrank.arrays import Indices, WholeNumbers, Words
from hushrank.errors import require
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.channel import WORDS_AN_ACTIVITY
from hushrank.publishing.item_channel.learning_error import learning_error
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.item_channel.solve import solve_item_channel
from hushrank.publishing.online.rules import StreamRules, by_user, checked, checked_history
from hushrank.publishing.online.state import StreamState
from hushrank.publishing.online.user import CurrentChannel, StreamUser
from hushrank.randomness import Randomness

WITHHELD = -1
"""What stands for an activity that is not released, because the user's limit is reached."""

MOST_KEPT = 10_000
"""Users whose state stays in memory, where there is a file."""


class OnlinePublisher:
    """Hides a private attribute of each user in each activity: one released for one taken in.

    Privacy: if, given the private value, activities are independent and follow the population, all
    releases of a user together tell at most `worst_leakage` nats of it, under any prior belief,
    when channels are made for released counts. `leakage` is the paper's sum: such a bound where
    channels do not depend on earlier activities. Both include an estimate of what the population
    lacks that was learnt from a sample; what a history told comes on top. Neither holds against who
    knows the habits of the user, and nothing here is differential privacy.
    Source: Yang, Qu, Cudre-Mauroux (IEEE TKDE 2019), Algorithm 4.
    """

    def __init__(
        self,
        populations: Mapping[str, ActivityPopulation],
        protects: Sequence[str | None],
        rules: StreamRules,
        history: "Scores | None" = None,
    ) -> None:
        """Take what is known of activities, by the name of what is to be hidden.

        protects: for each user one of these names, or None: released unchanged. history (users,
        items): counts of what the recipient holds already. Raises HushrankError when they differ.
        """
        n_items = {population.n_items for population in populations.values()}
        require(len(n_items) == 1, "expected 1+ populations of the same items")
        self.n_items, self.n_users, self.rules = n_items.pop(), len(protects), rules
        known = set(protects) <= {None, *populations}
        require(known, "expected what each user protects to be none or one of the populations")
        self._populations, self._protects = dict(populations), tuple(protects)
        self._history = checked_history(history, self.n_users, self.n_items)
        self._users: dict[int, StreamUser] = {}
        self._state: StreamState | None = None

    def __repr__(self) -> str:
        """Say the size only."""
        return f"OnlinePublisher({self.n_users} users, {self.n_items} items)"

    def resume(self, path: str | os.PathLike[str], setup: bytes = b"") -> StreamState:
        """Keep the state in a file from now on, and go on from what it holds.

        setup: what a file that is begun keeps for whoever opens it again.
        Raises HushrankError when the file belongs to another stream or is in use, and when this
        stream has released something or has a state already: its limits would begin anew.
        """
        require(self._state is None and not self._users, "expected a stream that has not begun")
        self._state = StreamState(path, self.settings(), setup)
        return self._state

    def settings(self) -> str:
        """Return a fingerprint of populations, what users protect, rules and history."""
        known = sha256(repr((self.rules, self._protects)).encode())
        for name, population in sorted(self._populations.items()):
            known.update(f"{name}:{population.joint.shape}".encode())
            known.update(np.ascontiguousarray(population.joint).tobytes())
            if population.without is not None:
                known.update(np.ascontiguousarray(population.without).tobytes())
        for part in (self._history.indptr, self._history.indices, self._history.data):
            known.update(part.astype("<f8").tobytes())
        return known.hexdigest()

    def user(self, number: int) -> StreamUser:
        """Return the state of one user who protects something, for reports."""
        known = 0 <= number < self.n_users and self._protects[number] is not None
        require(known, "expected a user who protects something")
        if number not in self._users:
            stored = None if self._state is None else self._state.load_user(number)
            if stored is None:
                stored = StreamUser(self._history[[number]].toarray()[0].astype(np.int64))
            n_items = self._history.shape[1]
            require(len(stored.counts) == n_items, f"expected a user's counts of {n_items} items")
            self._users[number] = stored
        return self._users[number]

    def publish(
        self,
        users: WholeNumbers,
        items: WholeNumbers,
        *,
        rng: Randomness,
        note: Callable[[Indices], bytes] | None = None,
    ) -> Indices:
        """Return what is released for each activity of a user with an item, both (n,), in order.

        WITHHELD where the user's limit is reached; the same number of random words is drawn for
        every activity. A state file has all of it, and what `note` says, before it is returned.
        Raises HushrankError, before anything is drawn, for unknown users and items.
        """
        who, what = checked(users, self.n_users), checked(items, self.n_items)
        require(who.shape == what.shape, "expected one item for each user")
        words = rng.words(WORDS_AN_ACTIVITY * len(who)).reshape(-1, WORDS_AN_ACTIVITY)
        released, touched, before = np.full_like(what, WITHHELD), {}, {}
        try:
            for number, places in by_user(who):
                if self._protects[number] is None:
                    released[places] = what[places]
                else:
                    touched[number] = self.user(number)
                    before[number] = touched[number].copy()
                    released[places] = self._release(number, what[places], words[places])
            if self._state is not None:
                said = b"" if note is None else note(released)
                self._state.commit(released, touched, said)
                self._forget()
        except BaseException:
            self._undo(before)
            raise
        return released

    def _undo(self, before: Mapping[int, StreamUser]) -> None:
        """Forget a batch that came to nothing; a file knows what happened before it."""
        if self._state is None:
            self._users.update(before)
        else:
            self._users.clear()

    def _forget(self) -> None:
        """Keep few users in memory: the file has them all."""
        if len(self._users) > MOST_KEPT:
            self._users.clear()

    def _release(self, number: int, items: Indices, words: Words) -> Indices:
        """Release as many activities of one user as the limit allows, through fresh channels."""
        user, n_done = self.user(number), 0
        released = np.full(len(items), WITHHELD, dtype=np.intp)
        while n_done < len(items):
            current = self._channel(number)
            n_now = min(len(items) - n_done, self.rules.resolve_every - user.n_since)
            n_now = min(n_now, self._n_allowed(user))
            if n_now == 0:
                break
            part = slice(n_done, n_done + n_now)
            released[part] = current.channel.release(items[part], words[part])
            follows = released if self.rules.counts_of == "released" else items
            np.add.at(user.counts, follows[part], 1)
            user.book(n_now)
            n_done += n_now
        user.n_withheld += len(items) - n_done
        return released

    def _channel(self, number: int) -> CurrentChannel:
        """Return the user's channel, made anew where the rules say so."""
        user = self.user(number)
        if user.current is not None and user.n_since < self.rules.resolve_every:
            return user.current
        population = self._populations[str(self._protects[number])]
        cost = activity_cost(user.counts, ties=self.rules.ties)
        problem = ItemChannelProblem(population, cost, self.rules.budget)
        warm = None if user.current is None else user.current.warm_start
        solution = solve_item_channel(problem, gap=self.rules.gap, warm=warm)
        current = CurrentChannel.of(solution, learning_error(population, solution.channel))
        user.renew(current)
        return current

    def _n_allowed(self, user: StreamUser) -> int:
        """Return how many more activities the limit allows; it depends on nothing private."""
        allowed = user.n_within(self.rules.limit)
        return self.rules.resolve_every if allowed is None else allowed
