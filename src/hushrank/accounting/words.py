"""A privacy loss in words: never less than it is."""

from decimal import ROUND_CEILING, Context, Decimal, localcontext

MOST_DECIMALS = 6


def loss_in_words(loss: float, digits: int = 6) -> str:
    """Return an epsilon or delta in decimal: as it is where `digits` suffice, else rounded up."""
    exact = Decimal(repr(float(loss)))
    shown = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(exact).normalize()
    is_plain = shown == 0 or -5 < shown.adjusted() < 16
    return f"{shown:f}" if is_plain else f"{float(shown):.{digits}g}"


def nats_in_words(loss: float, digits: int = 6) -> str:
    """Return a loss with its unit: 1 nat, 4 nats."""
    shown = loss_in_words(loss, digits)
    return f"{shown} nat{'' if shown == '1' else 's'}"


def best_guess(epsilon: float, delta: float = 0.0) -> str:
    """Return how often of 100 an even guess about one person can become right: "73.2".

        (e^ε + δ) / (1 + e^ε), rounded up; it is 100 where no more digits are worth reading

    Of two answers that a person may have given; whatever else the guesser knows.
    """
    with localcontext(prec=60):
        wrong = 100 * (1 - Decimal(float(delta))) / (1 + Decimal(float(epsilon)).exp())
    digits = max(1, 1 - wrong.adjusted()) if wrong > 0 else 0
    shown = (100 - wrong).quantize(Decimal(1).scaleb(-min(digits, MOST_DECIMALS)), ROUND_CEILING)
    return f"{shown.normalize():f}"


def guess_in_words(epsilon: float, delta: float = 0.0) -> str:
    """Return what an even guess about one person can become: "from 1 in 2 to 73.2 in 100 at most".

    See `best_guess`. `e^ε` is how many times likelier one answer can look than another.
    """
    with localcontext(prec=60):
        odds = Decimal(float(epsilon)).exp()
    factor = Context(prec=3, rounding=ROUND_CEILING).create_decimal(odds)
    likelier = f"{factor:,f}" if factor.adjusted() < MOST_DECIMALS else f"{factor:.0e}"
    guess = best_guess(epsilon, delta)
    return f"from 1 in 2 to {guess} in 100 at most (e^epsilon is {likelier})"


def epsilon_in_words(epsilon: float, delta: float = 0.0) -> str:
    """Return what an epsilon lets others find out about one person, as a sentence."""
    but_for = f", delta {loss_in_words(delta)}" if delta else ""
    guess = f"an even guess about a person's ranking can go {guess_in_words(epsilon, delta)}"
    return f"Epsilon {loss_in_words(epsilon, 4)}{but_for}: {guess}."
