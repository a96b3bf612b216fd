"""What an author of a plug-in runs: the checks that our own mechanisms and protocols pass.

`check_mechanism`, `check_question` and `check_protocol` raise AssertionError where a promise is
broken, and say which. They may import whatever they check, and no experiment, page or command.
Begin reading at `mechanisms.py`; docs/plug-ins.md shows how to plug something in.
"""

from hushrank.testing.mechanisms import StatedChannel, check_mechanism
from hushrank.testing.protocols import check_protocol
from hushrank.testing.questions import check_question

__all__ = ["StatedChannel", "check_mechanism", "check_protocol", "check_question"]
