"""Audit: how much a release betrays at least, found from outside, by drawing it many times.

This room knows no estimator and no stated law. It sees a `Subject` (`subject.py`): something that
draws what an outsider sees of one input or of its neighbour. `views.py` lists at what of it an
attacker may look, `events.py` learns from some draws which event tells the inputs apart best, and
`bounds.py` says from others, with stated confidence, how likely it is on both sides. `auditing.py`
puts them together. `replay.py` is of what must not depend on something at all, and `timing.py` of
times. `shipped/` lists what this package releases. Begin with `auditing.py`.
May import: everything but `cli`; what audits (all but `shipped/`) only `errors`, `arrays` and
`randomness`.
"""

from hushrank.audit.auditing import Finding as Finding
from hushrank.audit.auditing import audit as audit
from hushrank.audit.subject import Subject as Subject
