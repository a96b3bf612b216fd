"""A notebook user has a data frame of who put what where, and wants an order, a picture and a page.

They begin as one does: by giving the data frame, or its numbers, to what does not take it.
"""

import pandas
import polars
import pyarrow as pa
import pytest

import hushrank
from hushrank.workflows.results.words import probability_in_words

FRAME = pandas.DataFrame(
    {
        "tea": [1, 1, 2, 1] * 100,
        "coffee": [2, 3, 1, 2] * 100,
        "cold milk": [3, 2, 3, 3] * 100,
    }
)


@pytest.fixture(scope="module")
def people():
    return hushrank.read_rankings(FRAME)


@pytest.fixture(scope="module")
def learnt(people):
    return hushrank.collect(people, epsilon=4, seed=1)


def test_wrong_beginnings_say_how_to_begin():
    with pytest.raises(TypeError, match=r"people: expected Rankings, see hushrank\.read_rankings"):
        hushrank.collect(FRAME, 4)
    with pytest.raises(hushrank.HushrankError, match=r"Rankings\.from_keys takes ranks from 1"):
        hushrank.Rankings(FRAME.to_numpy(), tuple(FRAME.columns))
    with pytest.raises(TypeError, match=r"got ndarray; .*Rankings\.from_keys places of items"):
        hushrank.read_rankings(FRAME.to_numpy())
    with pytest.raises(hushrank.HushrankError, match='say best="high" or best="low"'):
        hushrank.read_rankings(FRAME + 5)
    with pytest.raises(hushrank.HushrankError, match="seed"):
        hushrank.collect(hushrank.read_rankings(FRAME), 4, seed=-1)


def test_every_library_s_data_frame_is_read_the_same(people):
    for frame in (polars.DataFrame(FRAME), pa.Table.from_pandas(FRAME, preserve_index=False)):
        assert hushrank.read_rankings(frame) == people
    keys = FRAME.to_numpy()
    assert hushrank.Rankings.from_keys(keys, tuple(FRAME.columns)) == people


def test_they_look_at_what_they_have(people):
    assert repr(people) == "Rankings(400 people, 3 items, strict, complete)"
    assert len(people) == 400
    assert list(people[:2]) == [("tea", "coffee", "cold milk"), ("tea", "cold milk", "coffee")]
    assert people.head(2).to_frame().to_dict("list") == {
        "tea": [1, 1],
        "coffee": [2, 3],
        "cold milk": [3, 2],
    }
    assert sum(places[0] == "tea" for places in people) == 300


def test_they_see_the_order_how_sure_it_is_and_what_is_protected(learnt):
    assert learnt.items == ("tea", "coffee", "cold milk")
    for shown in (str(learnt), learnt._repr_html_()):
        assert "coffee" in shown
        assert "least sure pair" in shown
        assert "Not private: simulated 4-LDP reports" in shown  # they gave a seed
    assert "<svg" in learnt._repr_html_() or "<img" in learnt._repr_html_()
    assert "tea" not in repr(learnt)


@pytest.mark.usefixtures("blank_pictures")
def test_they_take_results_on(learnt, people, tmp_path):
    frame = learnt.to_frame()
    assert list(frame["item"]) == ["tea", "coffee", "cold milk"]
    assert len(polars.DataFrame(learnt)) == 3
    assert len(learnt.synthetic) == len(people)
    learnt.report(tmp_path / "drinks.html", title="Drinks")
    assert "Drinks" in (tmp_path / "drinks.html").read_text()
    assert "Q2 distance *" in str(learnt.compared_with(people))


def test_without_a_seed_people_are_protected_and_it_says_so(people):
    assert "protect each of 400 people by 4-LDP" in str(hushrank.collect(people, epsilon=4))


def test_nothing_that_chance_could_have_made_is_called_certain():
    assert probability_in_words(0.9951) == "0.995"
    assert probability_in_words(0.9989) == "0.999"
    assert probability_in_words(0.99) == "0.99"
    assert probability_in_words(1.0) == "above 0.999"
