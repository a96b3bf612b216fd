import pyarrow as pa
import pytest

from hushrank.files.hashes import hashes_of, new_salt


def test_nobody_knows_the_next_salt():
    """Who knew it could choose texts whose hashes are equal."""
    salts = [new_salt() for _ in range(100)]
    for words in zip(*salts, strict=True):
        assert len(set(words)) == 100
        assert max(words) > 2**60
        assert 0 <= min(words) <= max(words) < 2**64
    assert all(odd % 2 == 1 for _, odd in salts)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
def test_a_part_of_a_column_has_the_hashes_of_its_own_rows(kind):
    """By those of other rows somebody whose reports lie in two parts would count as two."""
    texts = pa.array(["a", "bb", "", "ccc", "bb"]).cast(kind)
    whole = hashes_of(texts, (5, 7)).tolist()
    assert whole[1] == whole[4]
    for first in range(5):
        assert hashes_of(texts.slice(first, 2), (5, 7)).tolist() == whole[first : first + 2]


def test_texts_have_other_hashes_by_another_salt():
    texts = pa.array(["a", "b", "c"])
    first, again, other = (hashes_of(texts, salt) for salt in ((5, 7), (5, 7), (5, 9)))
    assert first.tolist() == again.tolist()
    assert not set(first.tolist()).intersection(other.tolist())
