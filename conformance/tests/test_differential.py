"""Mutated vectors through both sides: the same verdict by a rule that the reference reports too, the same values.

What is tolerated is what ``judge/known.py`` explains, and nothing else.
"""

from __future__ import annotations

import json
from collections import Counter

import hurray

from conformance.generator.vector import plain
from conformance.judge.through_hurray import ERRORS
from conformance.reference.descriptor import Descriptor, parse
from conformance.reference.faults import Fault, Report
from conformance.reference.file import parse_file
from conformance.reference.tensor import nested
from conformance.tests.mutations import mutated_descriptors, mutated_files, mutated_tensors

BUDGET = 1 << 16
# judge/known.py: buffers longer than a size that the format states as equal; private layouts; scalar heads.
TOLERATED = {"L-29", "Q-25", "D-12", "L-3", "D-14", "L-6", "S-9", "F-47", "F-30"}
BOOLEANS = {"D-47", "D-48"}


def rules_of(faults: list[Fault]) -> set[str]:
    return {rule for fault in faults for rule in fault.rules}


def code_of(data: bytes) -> str | None:
    """The rule for which hurray refuses a descriptor, alone or over zeros."""
    try:
        descriptor = hurray.Descriptor.decode(data)
        assert descriptor.encode() == data[: descriptor.encoded_len]
        sizes = [handle.byte_size for handle in descriptor.buffer_handles]
        if sum(sizes) < BUDGET and descriptor.layout.name != "composite":
            hurray.Tensor.from_descriptor(descriptor, [bytes(size) for size in sizes])
    except ERRORS as error:
        return str(error.code)
    return None


def odd_booleans(descriptor: Descriptor | None) -> bool:
    """A byte that is neither 0 nor 1 where a reader of the format need not mind."""
    if descriptor is None:
        return False
    one, other = descriptor.statistics, descriptor.extension
    found = [one.has_nan, one.has_inf] if one else []
    found += [other.has_nan, other.has_inf, other.is_float, other.is_signed] if other else []
    return any(byte > 1 for byte in found)


def test_mutated_descriptors() -> None:
    seen: Counter[str] = Counter()
    for data in mutated_descriptors(6000, 7):
        descriptor, report = parse(data)
        rules, code = rules_of(report.faults), code_of(data)
        explained = (
            code in rules
            or (code is None and rules <= TOLERATED)
            or (code in BOOLEANS and odd_booleans(descriptor))
            or (code == "L-13" and "L-12" in rules)
            or (code == "D-1" and descriptor is None)
        )
        assert explained, (data.hex(), code, [str(fault) for fault in report.faults])
        seen["accepted" if code is None else "refused"] += 1
    assert min(seen["accepted"], seen["refused"]) > 1000


def test_mutated_contents() -> None:
    seen: Counter[str] = Counter()
    for tensor in mutated_tensors(3000, 8):
        report = Report()
        tensor.check(report)
        made = hurray.Tensor.from_descriptor(
            hurray.Descriptor.decode(tensor.descriptor.encode()), tensor.buffers
        )
        codes = {problem.code for problem in made.validate()}
        if report.faults:
            early = any("seq_ptr" in fault.message for fault in report.faults)
            assert codes == rules_of(report.faults) or (not codes and early), [
                str(one) for one in report.faults
            ]
            seen["refused"] += 1
            continue
        assert codes == set(), tensor
        try:
            shown = made.tolist()
        except hurray.UnsupportedError:
            continue
        wanted = plain(nested(tensor.values(), tensor.descriptor.shape))
        assert json.dumps(plain(shown)) == json.dumps(wanted), tensor
        seen["values"] += 1
    assert min(seen["refused"], seen["values"]) > 500


def test_mutated_files() -> None:
    seen: Counter[str] = Counter()
    for data in mutated_files(2500, 9):
        _, report = parse_file(data)
        rules = rules_of(report.faults)
        try:
            codes = {str(problem.code) for problem in hurray.verify(data)}
        except hurray.FileError as error:
            codes = {str(error.code)}
        minor = {"F-5", "F-10"} if data[9] > 0 else set()
        explained = (
            bool(codes & rules)
            or (not codes and rules <= TOLERATED | minor)
            or (codes <= BOOLEANS and bool(codes))
            or codes == {"F-7"}
        )
        assert explained, (data.hex(), codes, [str(fault) for fault in report.faults])
        seen["refused" if codes else "accepted"] += 1
    assert min(seen["accepted"], seen["refused"]) > 300
