"""The files that the programs and consoles of the documents find in their folder."""

import gzip
from pathlib import Path

import numpy as np

from hushrank.activities.activity_files import write_activity
from hushrank.activities.planted import draw_planted
from hushrank.models.mallows import Mallows
from hushrank.rankings.files import write_rankings
from hushrank.rankings.profile import Rankings


def write_files(folder: Path) -> None:
    """Write people, ballots, scores, activity and users, all made up."""
    ranks = Mallows((2, 0, 1, 4, 3), 0.6).sample(300, rng=np.random.default_rng(1))
    people = Rankings(ranks, ("tea", "coffee", "water", "milk", "juice"))
    for name in ("people.soc", "ballots.soc", "ballots.toi"):
        write_rankings(people, folder / name)
    (folder / "stars.csv").write_text("person,item,score\nkim,tea,4\nkim,milk,4\nlee,tea,1\n")
    (folder / "jester-data-1.csv.gz").write_bytes(gzip.compress(b"2,7.5,99\n3,-1.25,4\n"))
    _write_activity(folder)


def _write_activity(folder: Path) -> None:
    log, users = draw_planted(200, 30, tilt=0.7, rng=np.random.default_rng(2))
    write_activity(log.activity(), folder / "visits.csv")
    lines = [
        f"{user},{'female' if number % 2 else 'male'},{'none' if number % 3 else 'all'}"
        for number, user in enumerate(users.users)
    ]
    text = "\n".join(["user,gender,protects", *lines]) + "\n"
    for name in ("users.csv", "people.csv"):
        (folder / name).write_text(text)
