from pathlib import Path

import pytest

from tests.portability.callers import modules_with_linear_algebra
from tests.portability.processors import NEEDED, cpu_flags, distinct_kernels, runnable_kernels


def test_flags_are_those_of_every_core_and_nothing_else():
    cpuinfo = "processor\t: 0\nmodel name\t: x: y\nflags\t\t: sse4_2 avx\n\nflags\t\t: avx fma\n"
    assert cpu_flags(cpuinfo) == {"sse4_2", "avx", "fma"}
    assert cpu_flags("Features\t: fp asimd\n") == set()


@pytest.mark.parametrize(
    ("flags", "kernels"),
    [
        (set(), []),
        ({"sse4_2"}, ["Nehalem"]),
        ({"sse4_2", "avx"}, ["Nehalem", "Sandybridge"]),
        ({"sse4_2", "avx", "avx2", "fma"}, ["Nehalem", "Sandybridge", "Haswell", "Zen"]),
        (set().union(*NEEDED.values()), [*NEEDED]),
    ],
)
def test_a_processor_runs_the_kernels_whose_instructions_it_has(flags, kernels):
    assert runnable_kernels(flags) == kernels


def test_kernels_that_load_the_same_are_run_once():
    loaded = {"Nehalem": "Nehalem/1", "Haswell": "Haswell/1", "Zen": "Haswell/1"}
    firsts = {"Nehalem": "Nehalem", "Haswell": "Haswell", "Zen": "Haswell"}
    assert distinct_kernels(loaded) == firsts


def test_linear_algebra_is_found_in_the_package():
    found = modules_with_linear_algebra()
    assert "hushrank.models.max_entropy.pair_features" in found
    assert "hushrank.estimators.ranks.fit" in found
    assert not any(Path(name).name == "errors" for name in found)
