"""What a collection learnt, and, apart from it, how far that is from the truth."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushrank.accounting.rounding import at_most, within
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import best_guess, loss_in_words, nats_in_words
from hushrank.aggregators.uncertainty.drawn_ranks import DrawnRanks
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.arrays import Order, Shares
from hushrank.engines.local import run_without_noise
from hushrank.engines.outcome import CentralLoss, Outcome
from hushrank.errors import HushrankError, require
from hushrank.evaluation.metrics import (
    kendall_excess,
    marginal_distance,
    mean_rank_order,
    uniform_second_order_marginals,
)
from hushrank.files.data_frames import Values, arrow_stream, to_frame
from hushrank.files.disk import FilePath
from hushrank.models.ranking_model import RankingModel
from hushrank.protocols.learnt.learnt import Learnt, Shown
from hushrank.protocols.registry import NamedProtocol
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Unranked
from hushrank.workflows.arguments import expect
from hushrank.workflows.results.frames import order_columns, ranks_of_items
from hushrank.workflows.results.pictures import order_picture
from hushrank.workflows.results.words import as_text, least_sure
from hushrank.workflows.seeds import stream

if TYPE_CHECKING:
    from hushrank.reports.collection_page import CollectionPage

SECONDS_FOR_THE_OPTIMUM = 10.0
OF_RAW_RANKINGS = "* from the raw rankings, at hand in a simulation: protected by nothing"
LESS = 0.999
"""Of the epsilon asked for: a true loss below is said beside it."""


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """What a collection learnt, and at what cost: all of it from the reports alone.

    `names`: the items in the order of the rankings' columns. `asked`: what the caller asked for.
    """

    names: tuple[str, ...]
    protocol: NamedProtocol
    outcome: Outcome[Learnt]
    asked: Mapping[str, Any]

    def __repr__(self) -> str:
        """Say what was run on how many, nothing of what they said."""
        loss = loss_in_words(self.outcome.epsilon, 4)
        private = "private" if self.is_private else "not private"
        return (
            f"Collection({self.protocol.name}, {self.n_people:,} people, {len(self.names)} items,"
            f" epsilon {loss}, {private})"
        )

    def __str__(self) -> str:
        """Say what was learnt, and what protected whom, for `print`."""
        return as_text({**self.summary, "order, best first": " > ".join(self.items)}, self.privacy)

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the items, best first."""
        return tuple(self.names[item] for item in self.order)

    @cached_property
    def order(self) -> Order:
        """The numbers of the items, best first; of mean ranks where only a model was learnt."""
        learnt = self.outcome.result.order
        return mean_rank_order(self.synthetic) if learnt is None else learnt

    @property
    def model(self) -> RankingModel | None:
        """The distribution of everybody's rankings; None where one order only was learnt."""
        return self.outcome.result.model

    @cached_property
    def synthetic(self) -> Rankings:
        """As many synthetic rankings as there are people, drawn when they are first asked for.

        Raises HushrankError where the protocol learns one order only.
        """
        if not self.protocol.has_model:
            raise HushrankError(f"{self.protocol.name} learns one order: no synthetic rankings")
        rng = stream(self.asked["seed"], "synthesis")
        return Rankings(self.outcome.result.sample(self.n_people, rng=rng), self.names)

    @property
    def posterior(self) -> Posterior | None:
        """What the reports leave open of the order; None where the protocol cannot tell."""
        return self.outcome.result.posterior

    @cached_property
    def confidence(self) -> tuple[float, ...] | None:
        """How likely each adjacent pair of `items` is the right way round; None if unknown.

        Right: in the order that the people have, if it is found as this one is.
        """
        drawn, posterior = self.drawn_ranks, self.posterior
        if drawn is None or posterior is None:
            return None
        if self.outcome.result.rule == "scores":
            return posterior.score_probabilities(self.order)
        return drawn.ahead(self.order)

    @cached_property
    def drawn_ranks(self) -> DrawnRanks | None:
        """Orders that are as likely, by the reports, found as this one is; None if unknown."""
        posterior = self.posterior
        return None if posterior is None else posterior.drawn_ranks(self.outcome.result.rule)

    @cached_property
    def intervals(self) -> tuple[tuple[int, int], ...] | None:
        """The best and the worst rank (0 = best) by number of item; None if unknown."""
        return None if self.drawn_ranks is None else self.drawn_ranks.intervals(self.order)

    @cached_property
    def rank_intervals(self) -> dict[str, tuple[int, int]] | None:
        """The best and the worst rank of each item, 1 = best, at 95 % or more; None if unknown.

        By the same belief as `confidence`, best first; an interval holds the item's place in the
        order.
        """
        return ranks_of_items(self.names, self.order, self.intervals)

    @property
    def n_people(self) -> int:
        """How many people took part: not hidden in the local model."""
        return self.outcome.n_people

    @property
    def epsilon(self) -> float:
        """The largest privacy loss of any person, in nats; its numeral is not below it."""
        return at_most(self.outcome.epsilon)

    @property
    def private_model(self) -> str:
        """Whom the guarantee trusts: "local", nobody; "shuffled", a shuffler for a second one."""
        return self.outcome.private_model

    @property
    def central_epsilon(self) -> float | None:
        """The largest loss, in nats, to whoever sees shuffled reports alone; None if not shuffled.

        Together with `delta`.
        """
        return None if self._central_loss is None else self._central_loss.epsilon

    @property
    def delta(self) -> float | None:
        """The delta of `central_epsilon`; None where nothing was shuffled."""
        return None if self._central_loss is None else self._central_loss.delta

    @property
    def _central_loss(self) -> CentralLoss | None:
        loss = self.outcome.central_loss
        return None if loss is None else CentralLoss(*map(at_most, loss))

    @property
    def spend(self) -> tuple[Spend, ...]:
        """What each round cost whom it asked."""
        return self.outcome.spends

    @property
    def is_private(self) -> bool:
        """Whether the noise was secret."""
        return self.outcome.is_private

    @property
    def privacy(self) -> str:
        """What was protected, for whom, and at what cost, in one line."""
        return self.outcome.privacy_statement

    @cached_property
    def shown(self) -> Shown:
        """What the protocol tells beside the order."""
        return self.outcome.result.shown(self.names)

    @property
    def summary(self) -> dict[str, str]:
        """Labels and words, as a table shows them."""
        is_less = self.epsilon < LESS * self.asked["epsilon"]
        nominal = f" (asked for {loss_in_words(within(self.asked['epsilon']))})" if is_less else ""
        return {
            "protocol": self.protocol.name + self._how(),
            "people": f"{self.n_people:,}",
            "items": str(len(self.names)),
            "epsilon": f"{nats_in_words(self.outcome.epsilon, 4)} per person{nominal}",
            **self._of_shuffler,
            **self.shown.rows,
            **least_sure(self.confidence),
        }

    @property
    def _of_shuffler(self) -> dict[str, str]:
        loss = self.outcome.central_loss
        if loss is None:
            return {}
        central = f"{loss_in_words(loss.epsilon, 4)}, delta {loss_in_words(loss.delta)}"
        return {"epsilon if shuffled": f"{central}, by trust in a shuffler"}

    def _how(self) -> str:
        """Say how reports became a result, and how many pairs a person was asked."""
        chosen = self.shown.chosen
        asked = f", {chosen['queries']} a person" if "queries" in chosen else ""
        return f" ({chosen['post_process']}{asked})" if chosen.get("post_process") else ""

    def to_dict(self) -> dict[str, Any]:
        """Return all that was learnt, for JSON."""
        return {
            "protocol": self.protocol.name,
            "epsilon": self.epsilon,
            "private_model": self.private_model,
            "central_epsilon": self.central_epsilon,
            "delta": self.delta,
            "people": self.n_people,
            "items": len(self.names),
            "private": self.is_private,
            "order": list(self.items),
            "confidence": self.confidence,
            "rank_intervals": self.rank_intervals,
            "popular_orders": None,
            "goodness_of_fit": None,
            "chains": None,
            **self.shown.named,
            "spend": [spend.to_dict() for spend in self.spend],
            "spend_if_shuffled": [spend.to_dict() for spend in self.outcome.shuffled],
            "options": {**self.asked, **self.shown.chosen},
            "privacy_statement": self.privacy,
        }

    def to_frame(self) -> Any:
        """Return one row an item, best first: a pandas DataFrame, or a `pyarrow.Table` without it.

        Columns: place, item, ahead_of_next (probability), best_rank and worst_rank (1 = best).
        """
        return to_frame(self._columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame`'s columns to any library of data frames."""
        return arrow_stream(self._columns(), requested_schema)

    def _columns(self) -> Values:
        return order_columns(self.items, self.confidence, self.rank_intervals)

    def report(self, path: FilePath, *, title: str | None = None) -> None:
        """Write one self-contained HTML page, from the reports alone.

        title: names the protocol unless told. What is not private can be read by its owner only.
        """
        from hushrank.reports.collection_page import write_collection_page

        write_collection_page(Path(path), self.page(title))

    def picture(self, form: str) -> bytes:
        """Return the picture of the order as .svg, .png or .pdf, from the reports alone."""
        return order_picture(self.names, self.order, self.intervals, form)

    def _repr_html_(self) -> str:
        from hushrank.reports.collection_page import collection_html

        return collection_html(self.page())

    def page(self, title: str | None = None) -> "CollectionPage":
        """Return what a page shows of the collection."""
        from hushrank.reports.collection_page import CollectionPage

        return CollectionPage(
            title=title or f"Collected with {self.protocol.name}",
            plain=self._plain,
            statement=self.privacy,
            caption=self._caption,
            is_private=self.is_private,
            figures=self.summary,
            names=self.names,
            order=self.order,
            confidence=self.confidence,
            intervals=self.intervals,
            pair_shares=self.shown.pair_shares,
            synthetic=self.synthetic if self.protocol.has_model else None,
            hierarchy=self.shown.hierarchy,
        )

    @property
    def _plain(self) -> str:
        """What was protected, for somebody who has never heard of epsilon."""
        return (
            "Every person's device added chance to an answer before it was sent: nobody else ever"
            " saw what that person thinks. Whoever sees all that a device sent, and took two"
            " rankings for equally likely, guesses right at most"
            f" {best_guess(self.outcome.epsilon)} times in 100 which of the two the person holds."
            f"{self._plain_of_shuffler}"
        )

    @property
    def _plain_of_shuffler(self) -> str:
        loss = self.outcome.central_loss
        if loss is None:
            return ""
        return (
            " Whoever sees all answers in random order only, as an honest shuffler passes them on,"
            f" guesses right at most {best_guess(loss.epsilon, loss.delta)} times in 100."
        )

    @property
    def _caption(self) -> str:
        """What may be written under the picture of the order."""
        bars = ""
        if self.intervals is not None:
            bars = " Bars: places that an item may truly have, at 95 % or more."
        asked = f"{self.n_people:,} people answered about {len(self.names)} items"
        if not self.is_private:
            return f"{asked} in a simulation whose noise is not secret and protects nobody.{bars}"
        loss = loss_in_words(self.outcome.epsilon, 4)
        return (
            f"{asked}. Each answer was randomised on the person's own device (epsilon {loss}, local"
            f" differential privacy){self._caption_of_shuffler}; the order comes from these noisy"
            f" answers alone.{bars}"
        )

    @property
    def _caption_of_shuffler(self) -> str:
        loss = self.outcome.central_loss
        if loss is None:
            return ""
        central = loss_in_words(loss.epsilon, 4)
        return f" and shuffled (central epsilon {central}, delta {loss_in_words(loss.delta)})"

    def compared_with(
        self, people: Rankings, *, time_limit: float = SECONDS_FOR_THE_OPTIMUM
    ) -> "CollectionComparison":
        """Compare with the truth, where a simulation has it at hand.

        `time_limit`: seconds to look for the exact optimum.
        Privacy: what comes back is computed from raw rankings, and protected by nothing.
        """
        expect(people, Rankings, "people", "hushrank.read_rankings")
        require(people.names == self.names, "people: expected rankings of the same items")
        return _compared(self, people, time_limit)


@dataclass(frozen=True, eq=False, repr=False)
class CollectionComparison:
    """How far a collection is from the truth: computed from raw rankings, not for publication.

    q2_distance: mean total variation of the joint rank distributions of two items, of the synthetic
    rankings, of uniform ones, and of what is learnt without noise; kendall_excess: by how much the
    order's average Kendall tau exceeds the exact optimum's. None: not defined, or not in time.
    """

    collection: Collection
    people: Rankings
    q2_distance: float | None
    q2_distance_uniform: float | None
    q2_distance_without_noise: float | None
    kendall_excess: float | None

    def __repr__(self) -> str:
        """Say what it is, none of its figures."""
        return f"CollectionComparison({len(self.collection.names)} items, from raw rankings)"

    def __str__(self) -> str:
        """Say how near it is to the truth, for `print`."""
        return as_text(self.summary)

    @property
    def is_no_better_than_uniform(self) -> bool:
        """Whether uniform rankings would have been as near."""
        if self.q2_distance is None or self.q2_distance_uniform is None:
            return False
        return self.q2_distance >= self.q2_distance_uniform

    @property
    def summary(self) -> dict[str, str]:
        """Labels and words, each with the star that says where they come from."""
        excess = self.kendall_excess
        said = "not proven in time" if excess is None else f"{excess:.4f}"
        return {**self._distances(), "Kendall tau above the optimum *": said}

    def _distances(self) -> dict[str, str]:
        if self.q2_distance is None:
            return {}
        exact = self.q2_distance_without_noise
        return {
            "Q2 distance *": f"{self.q2_distance:.3f}",
            "Q2 distance of uniform rankings *": f"{self.q2_distance_uniform:.3f}",
            "Q2 distance without noise *": "not computed" if exact is None else f"{exact:.3f}",
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, for JSON."""
        return {
            "private": False,
            "q2_distance": self.q2_distance,
            "q2_distance_uniform": self.q2_distance_uniform,
            "q2_distance_nopriv": self.q2_distance_without_noise,
            "kendall_excess": self.kendall_excess,
        }

    def report(self, path: FilePath, *, title: str | None = None) -> None:
        """Write one self-contained HTML page in which the truth stands beside what was learnt."""
        from hushrank.reports.collection_page import Truth, write_collection_page

        truth = Truth(self.people, self.summary, _meaning(self.collection.protocol))
        write_collection_page(Path(path), self.collection.page(title), truth)

    def _repr_html_(self) -> str:
        """Show the figures in a notebook, with their stars."""
        from hushrank.reports.notebook import notebook_html

        return notebook_html("Beside the raw rankings", self.summary, notes=[OF_RAW_RANKINGS])


def _compared(collection: Collection, people: Rankings, time_limit: float) -> CollectionComparison:
    """Compare rankings where there are some to compare, and the order in any case."""
    exact = learnt = uniform = None
    if collection.protocol.has_model and people.is_complete:
        truth = second_order_marginals(people)
        learnt = _distance(collection.synthetic, truth)
        uniform = marginal_distance(uniform_second_order_marginals(people.n_items), truth)
        exact = _distance_without_noise(collection, people, truth)
    excess = kendall_excess(
        people, collection.order, unranked=_meaning(collection.protocol), time_limit=time_limit
    )
    return CollectionComparison(collection, people, learnt, uniform, exact, excess)


def _meaning(protocol: NamedProtocol) -> Unranked:
    """Return what items that a person leaves out mean for a pair."""
    return "unknown" if protocol.unranked == "refused" else protocol.unranked


def _distance_without_noise(
    collection: Collection, people: Rankings, truth: Shares
) -> float | None:
    """Compare what is learnt when nothing is hidden, whatever is done about noise."""
    found = collection.protocol.truthful(people.n_items, collection.asked["epsilon"])
    if found is None:
        return None
    protocol, epsilon = found
    rounds = protocol.begin(people.n_items, epsilon=epsilon, n_people=people.n_people, seed=0)
    learnt = run_without_noise(rounds, people)
    rng = stream(collection.asked["seed"], "without noise")
    return _distance(Rankings(learnt.sample(people.n_people, rng=rng), people.names), truth)


def _distance(learnt: Rankings, truth: Shares) -> float:
    return marginal_distance(second_order_marginals(learnt), truth)
