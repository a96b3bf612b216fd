import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushrank.files.table_files import Column
from hushrank.files.tables import numbers

NUMBERS = st.floats().map(repr) | st.integers().map(str)
ODD = st.sampled_from(
    ["", "+1", ".5", "5.", ".", "1e5", "1E+05", "1e9999", "1_0", "٣", "0x1", "1\n"]
)


@given(st.lists(NUMBERS | ODD | st.text(max_size=4), unique=True), st.data())
def test_numbers_are_those_of_the_column(texts, data):
    codes = data.draw(st.lists(st.integers(-1, len(texts) - 1), max_size=10))
    column = Column(np.array(codes, dtype=np.int32), tuple(texts))
    np.testing.assert_array_equal(numbers(column), column.numbers())
