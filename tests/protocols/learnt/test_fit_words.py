from types import SimpleNamespace

import numpy as np

from hushrank.estimators.popular.unseen import UnseenOrder
from hushrank.models.popular_orders import PopularOrders
from hushrank.protocols.learnt.fit_words import popular_json, unseen_words


def test_every_popular_order_is_told_to_its_last_item():
    popular = PopularOrders(np.array([[2, 0, 1], [0, 1, 2], [1, 2, 0]]), np.array([0.3, 0.2, 0.1]))
    found = SimpleNamespace(popular=popular, share_errors=np.full(3, 0.01), share_error=0.02)
    told = popular_json(found, "abc")["popular_orders"]["orders"]
    assert [(each["order"], each["share"], each["share_error"]) for each in told] == [
        (["c", "a", "b"], 0.3, 0.01),
        (["a", "b", "c"], 0.2, 0.01),
        (["b", "c", "a"], 0.1, 0.01),
    ]


def test_no_order_is_told_to_go_unseen_less_than_it_can():
    said = unseen_words(UnseenOrder(share=0.0421, errors=1.34))["unseen orders"]
    assert "5 % of people hold goes unseen in half" in said
    assert "errors 1.4 times as wide" in said
