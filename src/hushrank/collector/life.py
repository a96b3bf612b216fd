"""The life of a live survey: what may happen when. Pure: the time is passed in.

draft --open--> open --close round--> between --open round--> open ... --finish--> closed
open --hand over--> counting --close round--> between
closed --publish--> published --unpublish--> closed          any --delete--> nothing is left
"""

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from hushrank.collector.refusals import allow

Told: TypeAlias = Literal["draft", "open", "between", "closed", "published"]
"""What people are told: between two rounds, whoever counts, nobody is asked."""
State: TypeAlias = Told | Literal["counting"]

WORDS: dict[State, str] = {
    "draft": "the survey is a draft",
    "open": "the survey is open",
    "counting": "the reports of the round are counted elsewhere",
    "between": "the survey is between two rounds",
    "closed": "the survey is closed",
    "published": "the results of the survey are published",
}


class Life(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a survey stands: `round` is the one that is open or was last, from 0, None in a draft.

    `closes`: when the open round ends by itself, if ever. `handed`: while its reports are
    counted elsewhere, the mark of the file that they were handed over in. All times are UTC.
    """

    state: State = "draft"
    round: int | None = None
    opened: datetime | None = None
    closes: datetime | None = None
    ended: datetime | None = None
    handed: str | None = None

    def open(self, now: datetime, closes: datetime | None) -> "Life":
        """Open the first round, or the next one. Raises Refusal."""
        self._allow("draft", "between")
        allow(closes is None or closes > now, "not-allowed", "the closing time has passed")
        number = 0 if self.round is None else self.round + 1
        return Life("open", number, self.opened or now, closes)

    def hand_over(self, mark: str) -> "Life":
        """End the open round, to be counted elsewhere; its first mark stays. Raises Refusal."""
        self._allow("open", "counting")
        return Life("counting", self.round, self.opened, handed=self.handed or mark)

    def close_round(self) -> "Life":
        """End the open round, or its counting elsewhere. Raises Refusal."""
        self._allow("open", "counting")
        return Life("between", self.round, self.opened)

    def finish(self, now: datetime) -> "Life":
        """End the survey after a round, whether or not another one could follow. Raises Refusal."""
        self._allow("between")
        return Life("closed", self.round, self.opened, ended=now)

    def publish(self) -> "Life":
        """Show everybody the results. Raises Refusal."""
        self._allow("closed")
        return msgspec.structs.replace(self, state="published")

    def unpublish(self) -> "Life":
        """Show nobody but the organiser the results. Raises Refusal."""
        self._allow("published")
        return msgspec.structs.replace(self, state="closed")

    def require_editable(self) -> None:
        """Raise Refusal once people have seen what they are asked."""
        self._allow("draft")

    def is_due(self, now: datetime) -> bool:
        """Whether the open round should have ended by itself."""
        return self.state == "open" and self.closes is not None and now >= self.closes

    @property
    def told(self) -> Told:
        """Where people are told that the survey stands."""
        return "between" if self.state == "counting" else self.state

    @property
    def has_ended(self) -> bool:
        """Whether nobody will be asked any more."""
        return self.state in ("closed", "published")

    def _allow(self, *states: State) -> None:
        allow(self.state in states, "not-allowed", f"{WORDS[self.state]}: that cannot be done now")
