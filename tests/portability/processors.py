"""Other processors that this one can pass for, by the variables that its libraries read."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NEEDED = {
    "Nehalem": {"sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"},
}
"""Kernels of OpenBLAS, and the flags of a processor that can run them, the oldest first."""

LOADED = """
import numpy, scipy.linalg, threadpoolctl
found = threadpoolctl.threadpool_info()
print(",".join(sorted(f"{each.get('architecture')}/{each['version']}" for each in found)))
"""
DISPATCHED = """
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
print(" ".join(each for each in __cpu_dispatch__ if __cpu_features__.get(each)))
"""


@dataclass(frozen=True)
class Processor:
    """A processor to pass for: what it is called, and the variables that make it so."""

    name: str
    variables: dict[str, str]


def cpu_flags(cpuinfo: str) -> set[str]:
    """Return the flags that /proc/cpuinfo lists."""
    lines = (line.split(":", 1) for line in cpuinfo.splitlines() if ":" in line)
    return {flag for name, flags in lines if name.strip() == "flags" for flag in flags.split()}


def runnable_kernels(flags: set[str]) -> list[str]:
    """Return the kernels that a processor with these flags can run."""
    return [kernel for kernel, needed in NEEDED.items() if needed <= flags]


def distinct_kernels(loaded: dict[str, str]) -> dict[str, str]:
    """Return of each kernel the first that loads the same: one run is enough for all of them."""
    firsts: dict[str, str] = {}
    return {kernel: firsts.setdefault(found, kernel) for kernel, found in loaded.items()}


def loaded_kernels(variables: dict[str, str]) -> str:
    """Return what numpy's and scipy's own copies of OpenBLAS run under the variables."""
    return _printed(LOADED, variables)


def processors(cache: Path) -> Iterator[Processor]:
    """Yield each processor that this one can pass for, and print which are left out."""
    flags = cpu_flags(Path("/proc/cpuinfo").read_text())
    able = runnable_kernels(flags)
    for kernel in NEEDED.keys() - set(able):
        print(f"left out: {kernel}, this processor lacks {' '.join(NEEDED[kernel] - flags)}")
    loaded = {each: loaded_kernels({"OPENBLAS_CORETYPE": each}) for each in able}
    for kernel, first in distinct_kernels(loaded).items():
        if kernel == first:
            yield Processor(kernel, {"OPENBLAS_CORETYPE": kernel})
        else:
            print(f"left out: {kernel}, which is the kernel of {first} here ({loaded[kernel]})")
    folder = {"NUMBA_CACHE_DIR": str(cache)}  # beside __pycache__: two processors never mix
    yield Processor("numba-generic", {"NUMBA_CPU_NAME": "generic"} | folder)
    yield Processor("numpy-baseline", {"NPY_DISABLE_CPU_FEATURES": _printed(DISPATCHED, {})})


def _printed(program: str, variables: dict[str, str]) -> str:
    environment = os.environ | variables
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()
