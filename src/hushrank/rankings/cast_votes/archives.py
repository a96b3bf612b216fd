"""ZIP archives, in which election systems export many files together."""

import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from hushrank.errors import HushrankError, require
from hushrank.files.encodings import MOST_TIMES, most_unpacked

_ZIP = b"PK\x03\x04"
_DAMAGED = (BadZipFile, EOFError, RuntimeError, ValueError, zlib.error)


def is_archive(content: bytes) -> bool:
    """Tell a ZIP archive by how it begins."""
    return content.startswith(_ZIP)


def has_file(content: bytes, is_wanted: Callable[[str], object]) -> bool:
    """Tell whether an archive has a file of such a name; a damaged one has none."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            return any(map(is_wanted, archive.namelist()))
    except _DAMAGED:
        return False


def unpacked(content: bytes, is_wanted: Callable[[str], object]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the files of an archive that are wanted by name, sorted.

    Raises HushrankError when it is damaged, has a password, was packed much too small, or has
    several files of one name.
    """
    large = f"expected a ZIP file of {MOST_TIMES} times its size at most: unpack it yourself"
    try:
        with ZipFile(BytesIO(content)) as archive:
            wanted = [each for each in archive.infolist() if is_wanted(each.filename)]
            files = {each.filename: each for each in wanted}
            require(len(files) == len(wanted), "expected a ZIP file with one file of each name")
            require(sum(each.file_size for each in wanted) <= most_unpacked(content), large)
            for name in sorted(files):
                yield name, archive.read(files[name])
    except _DAMAGED:
        raise HushrankError("expected a whole ZIP file without a password") from None
