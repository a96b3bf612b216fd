"""A program that uses all names of the façade; `make types` checks it as a user's would be."""

from pathlib import Path

import hushrank


def collected(folder: Path) -> hushrank.Collection:
    """Make people up, and collect their rankings privately."""
    people: hushrank.Rankings = hushrank.simulate("mallows", people=500, items=4, seed=1)
    hushrank.write_rankings(people, folder / "people.soc")
    print(len(people), people[0], people[:3], list(people.head()), people.to_frame())
    learnt = hushrank.collect(hushrank.read_rankings(folder / "people.soc"), 4.0, prior="safe")
    hushrank.write_rankings(learnt.synthetic, folder / "synthetic.csv")
    return learnt


def agreed(ballots: hushrank.Rankings) -> hushrank.Consensus:
    """Sum ballots up under differential privacy."""
    return hushrank.aggregate(ballots, epsilon=0.5)


def published(folder: Path) -> hushrank.Release:
    """Hide a private attribute of half of the users, in a release and in a stream."""
    everything, everybody = hushrank.simulate_activity(users=200, items=30, seed=1)
    hushrank.write_activity(everything, folder / "visits.csv")
    hushrank.write_profiles(everybody, folder / "users.csv")
    visits: hushrank.Activity = hushrank.read_activity(folder / "visits.csv")
    users: hushrank.Profiles = hushrank.read_profiles(folder / "users.csv")
    kept, held_out = hushrank.hold_out(visits, seed=1)
    release = hushrank.publish(kept, users, private=["gender"], budget=0.05)
    hushrank.write_activity(release.activity, folder / "released.csv")
    print(hushrank.attack(kept, release, users))
    print(hushrank.evaluate(visits, release, held_out=held_out))
    begun = hushrank.publish_online(
        folder / "stream", learn_from=kept, profiles=users, private=["gender"], budget=0.01
    )
    with begun as stream:
        for released in stream.release([{"user": visits.users[0], "item": visits.items[0]}]):
            print(released.number, released.item is None)
    return release


def main(folder: Path) -> None:
    """Do everything once."""
    learnt = collected(folder)
    consensus = agreed(hushrank.read_rankings([["tea", "coffee"], ["tea"], ["coffee", "tea"]]))
    release = published(folder)
    for result in (learnt, consensus, release):
        print(result, len(result.items), result.privacy, result.spend, result.is_private)
        print(result.confidence, result.summary, len(result.to_dict()), result.to_frame())
        result.report(folder / f"{type(result).__name__}.html")
    print(hushrank.plan(items=8, people=5000, epsilon=4).advice)
    print(hushrank.plan(goal="order", items=8, people=300).sentences)
    print(hushrank.plan(goal="publish", items=9, people=9, records=50).choices[0].low)
    try:
        hushrank.collect(hushrank.read_rankings([["tea", "coffee"], ["tea"]]), 1.0)
    except hushrank.HushrankError as error:
        print(error)
