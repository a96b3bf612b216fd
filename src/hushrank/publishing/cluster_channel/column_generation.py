"""Work on few arcs, price all the others, and take in those that would be used."""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats
from hushrank.publishing.cluster_channel.arcs import Arcs, Sources

NEIGHBOURS = 16
"""A group starts with the arcs to and from its nearest ones, this many each."""
REACH = 3.0
"""An arc is taken in when it would carry more than about 1 / REACH of its source's users."""


def nearest_arcs(sources: Sources, n_neighbours: int = NEIGHBOURS) -> NDArray[np.bool_]:
    """Mark (sources, groups) the arcs to the nearest groups and from the nearest sources."""
    allowed = np.zeros(sources.distances.shape, dtype=bool)
    for axis, marks in ((1, allowed), (0, allowed)):
        count = min(n_neighbours, allowed.shape[axis])
        near = np.argpartition(sources.distances, count - 1, axis=axis)
        np.put_along_axis(marks, np.take(near, np.arange(count), axis=axis), True, axis=axis)
    allowed[np.arange(sources.n_sources), sources.numbers] = True
    return allowed


def missing_arcs(
    arcs: Arcs, reduced_costs: Floats, thresholds: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the sources and targets of the arcs outside whose reduced cost is below its limit.

    reduced_costs (sources, groups), thresholds (sources,). The bound cannot certify while such
    an arc is left out.
    """
    cheap = reduced_costs < thresholds[:, None]
    cheap[arcs.sources, arcs.targets] = False
    origins, targets = np.nonzero(cheap)
    return origins, targets
