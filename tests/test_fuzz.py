"""The fuzzer reaches what it fuzzes, and a finding fails it."""

from __future__ import annotations

import re
import subprocess
import sys

import hurray

from fuzz import descriptors
from tools.repository import ROOT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_seeds_are_descriptors_of_every_layout_and_scheme() -> None:
    found = [data for data in descriptors.seeds() if descriptors.descriptor_case(data)]
    # A few have a buffer too many or too few, on purpose.
    assert len(found) > 20
    decoded = [hurray.Descriptor.decode(data) for data in found]
    assert {one.layout.tag for one in decoded} >= {*range(1, 12), 0x40, 0xF1}
    schemes = {type(one.quantization).__name__ for one in decoded}
    assert schemes >= {"PerTensorAffine", "PerChannelAffine", "PerBlockAffine", "NF4", "MXFP"}
    for name in ("shard", "statistics", "extension_type"):
        assert any(getattr(one, name) is not None for one in decoded)
    assert all(map(descriptors.scheme_case, descriptors.SCHEMES))


def test_a_short_run_counts_and_is_repeatable() -> None:
    first, second = (run("-m", "fuzz.descriptors", "4000", "7") for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert re.search(r"fuzzed 4000 cases: \d+ taken, \d+ refused", first.stdout)
    assert first.stdout == second.stdout


def test_a_finding_fails_the_run_and_is_printed() -> None:
    """What was read is compared with what is written: here with something else."""
    done = run("-c", "from fuzz import descriptors as d; d.own = lambda data: b''; d.work(500, 7)")
    assert done.returncode != 0
    assert re.search(r"case \d+ of seed 7: [0-9a-f]+", done.stderr)
    assert "does not encode to what was read" in done.stderr


def test_memory_is_bounded() -> None:
    """An allocation by a claim ends the child, where the system can bound it."""
    code = "from fuzz import descriptors as d; d.limit_memory(); bytearray(1 << 30)"
    done = run("-c", code)
    if sys.platform == "linux":
        assert "MemoryError" in done.stderr
