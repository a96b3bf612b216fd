"""Compile what results are worked out by, beside a collector, before its first survey ends.

python -m hushrank.collector.warming

On a new machine that takes half a minute, for which an organiser would wait. What is compiled is
kept on disk, where a folder can be written to, for every process.
"""

import os

import numpy as np

from hushrank.collector.draft import Draft, make_draft
from hushrank.collector.results.files import make_file
from hushrank.collector.rounds import Asked, replay
from hushrank.mechanisms.local import Tally
from hushrank.surveys.survey import Survey, Tallies
from hushrank.workflows.results.collection import Collection

N_REPORTS = 40
"""Of each answer."""


def made_up_result() -> Collection | Asked:
    """Return what a survey by the default protocol concludes from made-up tallies."""
    draft = _draft()
    asked = replay(draft, 0, ())
    if not isinstance(asked, Asked):
        return asked
    return replay(draft, 0, (tuple(_even_tallies(survey) for survey in asked.surveys),))


def _draft() -> Draft:
    lines = dict.fromkeys(("title", "asked_by", "purpose", "contact", "privacy_notice"), "nobody")
    return make_draft({**lines, "items": [{"name": name} for name in "abcde"]})


def _even_tallies(survey: Survey) -> Tallies:
    """Return tallies of reports in which every answer is as frequent."""
    sizes = [mechanism.n_categories for mechanism in survey.mechanisms]
    return tuple(Tally(np.full(size, N_REPORTS), N_REPORTS * size) for size in sizes)


def main() -> None:
    """Work a made-up result out, while nothing else wants the processor."""
    if hasattr(os, "nice"):
        os.nice(19)
    result = made_up_result()
    if isinstance(result, Collection):
        make_file(result, "nobody", _draft(), "results.zip")


if __name__ == "__main__":
    main()
