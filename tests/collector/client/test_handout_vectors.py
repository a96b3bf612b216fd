import json

import pytest

from hushrank.errors import HushrankError
from hushrank.surveys.handout import read_handout
from vectors.make_handouts import EPSILON, FILE, text

VECTORS = json.loads(FILE.read_text(encoding="utf-8"))


def test_vectors_are_those_of_the_script():
    assert FILE.read_text(encoding="utf-8") == text()


@pytest.mark.parametrize("bad", VECTORS["bad_handouts"], ids=lambda bad: bad["why"])
def test_bad_handouts_are_refused(bad):
    with pytest.raises(HushrankError):
        read_handout(bad["handout"].encode(), most_epsilon=EPSILON)
