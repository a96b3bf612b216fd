"""What does not fit one process: people and ballots of many files, piece by piece."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack

from hushrank.aggregators.raw_order import Ballots
from hushrank.aggregators.registry import (
    AggregationMethod,
    AggregationTerms,
    MethodName,
    method_named,
)
from hushrank.engines.cluster import Draws, People, run
from hushrank.engines.local import held_to
from hushrank.engines.tasks import HERE, Workers
from hushrank.errors import expect, require
from hushrank.files.disk import FilePath
from hushrank.files.pieces import pieces_of
from hushrank.mechanisms.local import require_parameters
from hushrank.protocols.registry import DEFAULT, NamedProtocol, ProtocolOptions
from hushrank.rankings.ballot_sums import BallotSums, BallotTerms, count_piece, read_piece
from hushrank.workflows.arguments import expect_flag, expect_loss, expect_seed, loss_if_any
from hushrank.workflows.collect import asked_for, in_words, named_protocol
from hushrank.workflows.progress import Progress, of_pieces, silent
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.seeds import secret_words, stream

ROWS_OF_A_PIECE = 2**19
"""Ballots that a task reads at a time: about 250 bytes each, of ten items."""


def count_ballots(
    source: FilePath | Sequence[FilePath],
    terms: BallotTerms = BallotTerms(),  # noqa: B008 (frozen)
    *,
    workers: Workers = HERE,
    progress: Progress = silent,
) -> BallotSums:
    """Count the pairs of ballots in Parquet files, piece by piece; nothing is drawn.

    source: paths, patterns, folders or addresses. Privacy: what comes back is raw.
    Raises HushrankError, naming the file, where one is missing or damaged, and where pieces are
    not read in one way.
    """
    expect(workers, Workers, "workers")
    terms.require_additive()
    pieces = pieces_of(source, most_rows=ROWS_OF_A_PIECE)
    progress(f"counting {sum(piece.n_rows for piece in pieces):,} ballots")
    return workers.add_up(count_piece, terms, pieces, of_pieces(progress))


def aggregate_counts(
    sums: BallotSums,
    *,
    epsilon: float,
    delta: float | None = None,
    method: MethodName | None = None,
    time_limit: float = 60.0,
    seed: int | None = None,
) -> Consensus:
    """Release one order from counts: the same release, by the same draw, as `hushrank.aggregate`.

    The noise is drawn once, here, in the process that calls, and in no task.
    Every further call on the same counts costs its epsilon again. Methods that need ballots one by
    one, and those without privacy, are refused.
    """
    expect(sums, BallotSums, "sums", "count_ballots")
    epsilon, delta = expect_loss(epsilon, "epsilon"), loss_if_any(delta, "delta")
    seed = expect_seed(seed)
    chosen = method_from_counts(method, epsilon=epsilon, delta=delta)
    given = Ballots(None, sums.counts, sums.unranked)
    terms = AggregationTerms(epsilon, delta, time_limit, secret_words(seed), stream(seed, "pivots"))
    return Consensus(chosen.run(given, terms), sums.names, chosen.name, sums.unranked)


def aggregate_files(
    source: FilePath | Sequence[FilePath],
    terms: BallotTerms = BallotTerms(),  # noqa: B008 (frozen)
    *,
    workers: Workers = HERE,
    progress: Progress = silent,
    **options: Any,
) -> Consensus:
    """Count ballots in files and release one order: `count_ballots`, and then `aggregate_counts`.

    options: of `aggregate_counts`; what it would refuse is refused before a file is read.
    """
    method_from_counts(
        options.get("method"), epsilon=options.get("epsilon"), delta=options.get("delta")
    )
    sums = count_ballots(source, terms, workers=workers, progress=progress)
    return aggregate_counts(sums, **options)


def method_from_counts(
    method: MethodName | None, *, epsilon: float | None, delta: float | None
) -> AggregationMethod:
    """Return the method that is meant; raise HushrankError where it needs ballots one by one."""
    chosen = method_named(method, epsilon=epsilon, delta=delta)
    require(chosen.from_counts, f"{chosen.name} needs ballots one by one: use it on one machine")
    return chosen


def collect_files(
    source: FilePath | Sequence[FilePath],
    epsilon: float,
    terms: BallotTerms = BallotTerms(),  # noqa: B008 (frozen)
    *,
    protocol: str | NamedProtocol = DEFAULT,
    seed: int | None = None,
    short_cut: bool = False,
    workers: Workers = HERE,
    progress: Progress = silent,
    **options: Unpack[ProtocolOptions],
) -> Collection:
    """Simulate a collection from the people in Parquet files: `hushrank.collect`, piece by piece.

    source: paths, patterns, folders or addresses. seed, short_cut, options: as for
    `hushrank.collect`; with a seed the result depends on the files, and not on the workers.
    Every round reads the files once, and so does a look at them before the first.
    Raises HushrankError, before anybody is asked, for what does not fit together.
    """
    expect(workers, Workers, "workers")
    epsilon, seed = expect_loss(epsilon, "epsilon"), expect_seed(seed)
    short_cut = expect_flag(short_cut, "short_cut")
    require_parameters(2, epsilon)
    named = named_protocol(protocol, options)
    terms.require_additive()
    progress("looking at the people")
    pieces = pieces_of(source, most_rows=ROWS_OF_A_PIECE)
    with workers.kept() as kept:
        people = People.of(partial(read_piece, terms), pieces, kept)
        begun = named.begin(
            len(people.size.names),
            epsilon=epsilon,
            n_people=people.size.n_people,
            seed=int(stream(seed, "pivots").integers(2**31)),
        )
        progress("asking people")
        outcome = run(held_to(begun, epsilon), people, draws=Draws.of(seed), short_cut=short_cut)
    asked = asked_for(named, epsilon, in_words(options, protocol))
    asked |= {"short_cut": short_cut, "seed": seed}
    return Collection(people.size.names, named, outcome, asked)
