"""What a mix is expected to lose: derivatives by finite differences, and what theory says."""

import json
from itertools import permutations

import numpy as np
import pytest

from hushrank.estimators.chains.uniform_orders import UniformOrders
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.point import RankPoint, uniform_point
from hushrank.mechanisms.local import Tally
from hushrank.models.max_entropy.rank_features import wide_features
from hushrank.planning import losses
from hushrank.planning.losses import loss_of_questions, predict_losses
from hushrank.planning.mixes import tabulate
from hushrank.planning.mixes.population_loss import population_losses
from hushrank.planning.mixes.predicted_loss import SCALES, joint_changes, predicted_losses
from hushrank.planning.mixes.tabulate import STAYS, best_mixes, candidates, mixes_to_ask
from hushrank.planning.mixes.wide_loss import wide_losses
from hushrank.protocols.distributions.mixes import table
from hushrank.protocols.distributions.mixes.table import EPSILONS, PEOPLE, known_mixes
from hushrank.protocols.distributions.question_mix import MIXES, MixPart, mix_surveys
from hushrank.rankings.coding import inverse

SETS = (MixPart("levels-and-pairs", 0.5, 3), MixPart("two-of-first", 0.5, 3))


@pytest.mark.parametrize("n_items", [2, 3, 5])
def test_changes_of_joint_ranks_are_those_of_finite_differences(n_items):
    features, changes = uniform_point(n_items).features, joint_changes(n_items)
    drawn, step = np.random.default_rng(1).normal(size=len(features.spreads)), 1e-5
    up, down = (
        RankPoint(features, sign * step * drawn).model.second_order_marginals[0] for sign in (1, -1)
    )
    moved = ((up - down) / (2 * step))[~np.eye(n_items, dtype=bool)]
    assert drawn @ changes == pytest.approx(moved, abs=1e-8)


def test_without_people_the_loss_is_how_far_populations_are_from_uniform():
    features = uniform_point(4).features
    covariance = features.prior_root @ features.prior_root.T
    variances = np.einsum("fq,fg,gq->q", joint_changes(4), covariance, joint_changes(4))
    spread = np.sqrt(variances).sum() / np.sqrt(2 * np.pi)
    expected = np.exp(np.mean(np.log(np.array(SCALES) * spread)))
    assert predicted_losses(MIXES["pairs"], 4, 1.0, [0]) == pytest.approx([expected])


def test_more_people_and_larger_epsilons_lose_less():
    mix = MIXES["ranks-and-pairs"]
    by_people = predicted_losses(mix, 4, 1.0, [100, 1000, 10_000])
    assert (np.diff(by_people) < 0).all()
    by_epsilon = [predicted_losses(mix, 4, epsilon, [1000])[0] for epsilon in (0.5, 1.0, 2.0)]
    assert (np.diff(by_epsilon) < 0).all()


def test_naming_the_first_item_tells_more_than_its_level_does():
    """At 2 nats, near uniform: the reason for sets."""
    first = (MixPart("first", n_levels=1),)
    assert predicted_losses(first, 5, 2.0, [500]) < predicted_losses(MIXES["levels"], 5, 2.0, [500])


@pytest.mark.linear_algebra
@pytest.mark.parametrize(("n_items", "epsilon"), [(4, 1.0), (5, 4.0), (20, 1.0)])
def test_the_table_is_what_its_command_writes(n_items, epsilon):
    """Here for three rows; `python -m hushrank.planning.mixes.tabulate` writes all of it."""
    assert mixes_to_ask(n_items, epsilon) == known_mixes(n_items, epsilon)


@pytest.mark.linear_algebra
def test_what_is_asked_stays_where_it_is_about_as_good(monkeypatch):
    best, numbers = best_mixes(4, 1.0), (4, 1.0, PEOPLE[-1:])
    least = predicted_losses(tuple(MixPart(*part) for part in best[-1]), *numbers)[0]
    losses = {mix: predicted_losses(mix, *numbers)[0] / least for mix in candidates(4, 1.0)}
    near = max((mix for mix in losses if losses[mix] < STAYS), key=losses.__getitem__)
    assert losses[near] > 1
    for mix in (near, MIXES["bits"]):
        asked = tuple((part.kind, part.share, part.n_levels) for part in mix)
        monkeypatch.setattr(tabulate, "known_mixes", lambda *_, parts=asked: [*best[:-1], parts])
        assert mixes_to_ask(4, 1.0)[-1] == (asked if mix == near else best[-1])


def test_a_number_of_items_is_written_alone(tmp_path, monkeypatch):
    before = table.TABLE.read_bytes()
    monkeypatch.setattr(table, "TABLE", tmp_path / "table.json")
    table.TABLE.write_bytes(before)
    rows = [known_mixes(20, epsilon) for epsilon in EPSILONS]
    table.write_mixes(20, rows)
    assert table.TABLE.read_bytes() == before
    pairs = (("pairs", 1.0, None),)
    table.write_mixes(20, [[pairs] * len(PEOPLE)] * len(EPSILONS))
    assert {mix for epsilon in EPSILONS for mix in known_mixes(20, epsilon)} == {pairs}
    table.write_mixes(20, rows)
    assert table.TABLE.read_bytes() == before


def test_every_candidate_can_be_asked():
    for n_items, epsilon in ((3, 0.1), (4, 7.0), (7, 1.0)):
        for mix in candidates(n_items, epsilon):
            assert sum(part.share for part in mix) == pytest.approx(1)
            for part in mix:
                assert part.questions(n_items)


@pytest.mark.linear_algebra
@pytest.mark.parametrize("mix", [MIXES["pairs"], SETS])
def test_losses_of_many_items_are_those_of_the_whole_information(mix):
    """The two numbers that stand for it, and a matrix of all features, of 6 items."""
    features = wide_features(6)
    uniform = UniformOrders(features)
    information = np.zeros((len(features.spreads),) * 2)
    for part in mix:
        (survey,) = mix_surveys((MixPart(part.kind, n_levels=part.n_levels),), 6, 1.5)
        asked = [Tally(np.zeros(each.n_categories), 1) for each in survey.questions]
        cells = ReportLikelihood.of(6, survey.questions, survey.local_mechanisms, asked)
        told = uniform.information(cells.weights, cells.roots(uniform.statistics))
        information += part.share * told / len(survey.questions)
    ranks = inverse(np.array(list(permutations(range(6)))))
    at = (ranks[:, 0].astype(int) * 6 + ranks[:, 1])[:, None] == np.arange(36)
    changes = features.values(ranks).astype(float).T @ at / len(ranks)
    expected = []
    for scale in SCALES:
        covariance = np.linalg.inv(1000 * information + features.prior_precision / scale**2)
        variances = np.einsum("fq,fg,gq->q", changes, covariance, changes)
        expected.append(np.sqrt(variances).sum() / np.sqrt(2 * np.pi))
    found = wide_losses(mix, 6, 1.5, [1000])
    assert found == pytest.approx([np.exp(np.log(expected).mean())], rel=1e-5)


@pytest.mark.parametrize(
    ("n_items", "epsilon", "n_people"), [(4, 1.0, 3000), (7, 0.1, 100), (20, 2.0, 10_000)]
)
def test_tabulated_losses_are_those_of_the_mix_that_is_asked(n_items, epsilon, n_people):
    found = loss_of_questions(n_items, epsilon, n_people)
    assert found == pytest.approx(
        predict_losses(n_items, epsilon)[PEOPLE.index(n_people)], rel=1e-3
    )


def test_below_the_least_epsilon_fewer_people_tell_as_much():
    fewer = 40_000 * np.sinh(0.025) ** 2 / np.sinh(0.05) ** 2
    assert loss_of_questions(8, 0.05, 40_000) == pytest.approx(
        loss_of_questions(8, 0.1, round(fewer)), rel=1e-3
    )
    assert loss_of_questions(8, 8.0, 5000) == loss_of_questions(8, 7.0, 5000)


@pytest.mark.parametrize(
    ("foretold", "n_items"), [(predicted_losses, 4), (population_losses, 4), (wide_losses, 20)]
)
def test_losses_of_many_numbers_of_people_are_each_foretold(foretold, n_items):
    n_people = [100 * 2**n for n in range(30)]
    found = foretold(SETS, n_items, 1.0, n_people)
    assert found.shape == (30,)
    assert found[-1:] == pytest.approx(foretold(SETS, n_items, 1.0, n_people[-1:]))
    assert found[-1] < found[-2]


@pytest.mark.parametrize(("least", "n_simple", "best"), [(1.0, 5, 29), (9.0, 5, 25), (1.0, 25, 29)])
def test_the_last_of_many_mixes_may_be_the_simplest_that_is_good(least, n_simple, best):
    """Of 30, which lose 9 but for the last one; of n_simple of them the parts are fewer."""
    several = (MixPart("levels", 0.5, 3), MixPart("two-of-first", 0.5, 3))
    is_simple = np.arange(30) >= 25 if n_simple == 5 else np.arange(30) < 25
    mixes = [several[:1] if simple else several for simple in is_simple]
    losses_of = np.array([*[9.0] * 29, least])
    assert tabulate._simplest(mixes, losses_of, range(30)) == best


def test_all_of_many_mixes_are_weighed(monkeypatch):
    """The last one loses least, of any number of people; pairs lose least of all but that one."""
    mixes = [MIXES["pairs"], *((MixPart("levels", 1.0, n),) for n in range(2, 32))]
    lost = dict.fromkeys(mixes, 3.0) | {mixes[0]: 2.0, mixes[-1]: 1.0}
    name = "hushrank.planning.mixes.tabulate."
    for candidates_of in ("candidates", "wide_candidates"):
        monkeypatch.setattr(name + candidates_of, lambda *_: iter(mixes))
    for lost_by in ("predicted_losses", "population_losses", "wide_losses"):
        monkeypatch.setattr(name + lost_by, lambda mix, *_: np.full(len(PEOPLE), lost[mix]))
    monkeypatch.setattr(name + "_tells_as_much", lambda *_: True)
    last = tabulate._parts(mixes[-1])
    assert best_mixes(5, 1.0) == best_mixes(20, 1.0) == [last] * len(PEOPLE)


def test_all_of_many_numbers_of_items_are_tabulated(monkeypatch, capsys):
    written = []
    for name in ("mixes_to_ask", "known_mixes"):
        monkeypatch.setattr(tabulate, name, lambda *_: [])
    monkeypatch.setattr(tabulate, "write_mixes", lambda n_items, found: written.append(n_items))
    tabulate.tabulate(range(2, 40))
    assert written == list(range(2, 40))
    assert "39 items: 0 mixes changed" in capsys.readouterr().out


def test_the_table_of_losses_is_written_for_all_of_many_numbers_of_items(monkeypatch, tmp_path):
    monkeypatch.setattr(losses, "TABLE", tmp_path / "losses.json")
    monkeypatch.setattr(losses, "predict_losses", lambda n_items, epsilon: [n_items, epsilon])
    losses.write_losses()
    expected = [[[n_items, epsilon] for epsilon in EPSILONS] for n_items in losses.ITEMS]
    assert json.loads((tmp_path / "losses.json").read_bytes()) == expected
