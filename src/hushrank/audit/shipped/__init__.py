"""What this package releases, as subjects of an audit, by name.

`local.py`: mechanisms that hide a category; `devices.py`: the bytes that leave a device, for each
protocol; `rounds.py`: one person over several rounds, and over surveys that repeat each other;
`shuffled.py`: the reports of a crowd behind a shuffler; `central.py`: noise of a
curator, and one order of ballots; `publishing.py`: withheld records, and what a budget must not
depend on; `timed.py`: what is timed. Nothing here states a law.
Begin with `local.py`.
"""

from collections.abc import Mapping

from hushrank.audit.replay import Replay
from hushrank.audit.shipped.central import central_subjects
from hushrank.audit.shipped.devices import device_subjects
from hushrank.audit.shipped.local import local_subjects
from hushrank.audit.shipped.publishing import publishing_replays, publishing_subjects
from hushrank.audit.shipped.rounds import rounds_subjects
from hushrank.audit.shipped.shuffled import shuffled_subjects
from hushrank.audit.subject import Subject

EPSILON, DELTA = 1.0, 1e-4


def shipped(epsilon: float = EPSILON, delta: float = DELTA) -> Mapping[str, Subject | Replay]:
    """Return all subjects by name, that claim epsilon nats, and delta where they have one."""
    subjects: tuple[Subject | Replay, ...] = (
        *local_subjects(epsilon),
        *device_subjects(epsilon),
        *rounds_subjects(epsilon),
        *shuffled_subjects(epsilon, delta),
        *central_subjects(epsilon, delta),
        *publishing_subjects(),
        *publishing_replays(),
    )
    return {subject.name: subject for subject in subjects}
