"""The one error this package raises, and the one way to raise it."""


class HushrankError(Exception):
    """Input or a parameter is not what was expected.

    Privacy: the message never contains a ranking, an answer or a report.
    """


def require(condition: object, message: str) -> None:
    """Raise HushrankError with `message` unless `condition` holds."""
    if not condition:
        raise HushrankError(message)
