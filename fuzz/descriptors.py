"""Random and mutated bytes into ``Descriptor.decode`` and ``decode_quantization``.

What a case may end in: ``InvalidDescriptorError`` or ``hurray.BufferError`` with the code of a rule, or an object whose
``encode()`` is what was read. Anything else is a finding, and so is the end of the process. The cases run in a child
with bounded memory, so that an allocation by a claim is a finding too.

    python -m fuzz.descriptors [CASES [SEED]]

The last line says how many cases there were; a finding is printed with its seed and its bytes.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from struct import pack, unpack_from

import hurray

GOLDEN = Path(__file__).resolve().parent.parent / "conformance" / "vectors" / "golden" / "descriptors"
CASES = 1_000_000
# Address space for the child, above what the interpreter takes; a descriptor is at most a few kilobytes.
ALLOWED = 256 << 20
INTERESTING = (0, 1, 2, 3, 4, 0x0B, 0x3F, 0x40, 0x47, 0x7F, 0x80, 0xEF, 0xF0, 0xFE, 0xFF)
WIDE = (0, 1, 2, 63, 64, 65, 2**16, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1)
REFUSED = (hurray.InvalidDescriptorError, hurray.BufferError)


def handle(size: int, device: int = 0) -> bytes:
    """One entry of a buffer table (buffers.md §1)."""
    return pack("<QIBBBB", size, 64 if size else 1, device, 0, 0, 0)


def descriptor(
    dtype: int, layout: int, shape: tuple[int, ...], payload: bytes, sizes: tuple[int, ...], *sections: bytes
) -> bytes:
    """A descriptor (descriptor.md §1); each section begins with its flag, one byte."""
    flags = sum(section[0] for section in sections)
    body = pack("<BBI", dtype, layout, len(shape)) + b"".join(pack("<Q", dim) for dim in shape) + bytes(8)
    body += payload + bytes([len(sizes)]) + b"".join(map(handle, sizes))
    body += b"".join(section[1:] for section in sections)
    return b"HRRY\1\0" + pack("<II", 14 + len(body), flags) + body


SHARD = b"\x02" + pack("<4Q", 8, 8, 0, 4)
STATISTICS = b"\x08" + pack(
    "<IIQ6dBB??4x", 0x3F, 0, 4, 0.5, -1.0, 2.0, 2.0, float("nan"), 1.0, 2, 4, True, False
)
EXTENSION = b"\x04" + pack("<IBBBBBB2xI??2x", 8, 1, 1, 0, 1, 4, 3, 7, True, False)
MEMBER = b"\x10" + bytes([1]) + bytes(15)
SCHEMES = (
    pack("<BBHfi4x", 1, 1, 0, 0.5, 3),
    pack("<BBHIIIB3x", 2, 1, 1, 1, 1, 2**32 - 1, 3),
    pack("<BBHIIIB3x", 2, 1, 0, 1, 1, 2, 3),
    pack("<BBHIIIIB3x", 3, 1, 1, 1, 4, 1, 2**32 - 1, 1),
    pack("<BBHIIIIB3x", 3, 1, 0, 1, 4, 1, 2, 2),
    pack("<BBHIII", 4, 1, 0, 1, 8, 1),
    pack("<BBHIII", 5, 1, 0, 1, 16, 1),
)


def quantized(scheme: bytes, padding: int = 0) -> bytes:
    """A scheme as a section of a descriptor."""
    return b"\x01" + pack("<I", len(scheme) + padding) + scheme + bytes(padding)


def seeds() -> list[bytes]:
    """Descriptors with every layout and every section, and the golden ones."""
    paged = pack("<IQIIBIB6x", 4, 2, 0, 1, 0, 2**32 - 1, 0)
    tiled = pack("<2QBBH", 2, 2, 1, 4, 0) + pack("<2QBBH2q", 1, 1, 1, 3, 0, 1, 1)
    plain = [
        descriptor(0x03, 0x01, (3, 4), b"", (48,)),
        descriptor(0x20, 0x02, (3, 7), b"", (3,)),
        descriptor(0x44, 0x03, (2, 2), pack("<2q", -1, 2), (64,)),
        descriptor(0x11, 0x04, (4, 4), tiled, (64,)),
        descriptor(0x11, 0x05, (4, 4), pack("<2I", 2, 2), (16,)),
        descriptor(0x03, 0x06, (4, 4), pack("<QB7x", 2, 1), (8, 32)),
        descriptor(0x03, 0x07, (4, 4), pack("<Q8x", 2), (8, 16, 40)),
        descriptor(0x03, 0x08, (4, 4), pack("<Q8x", 2), (8, 16, 40)),
        descriptor(0x03, 0x09, (2, 2, 2), pack("<Q3I8x", 1, 2, 0, 1), (4, *([16] * 6))),
        descriptor(0x03, 0x0A, (8, 2, 2), paged, (128, 16, 16)),
        descriptor(0x03, 0x0B, (8, 8), pack("<BBHI", 2, 1, 0, 2), ()),
        descriptor(0x11, 0x40, (4, 4), pack("<II", 2, 2), (16,)),
        descriptor(0x03, 0xF1, (4,), pack("<QI", 7, 3) + b"abc", (16, 16)),
        descriptor(0x03, 0x01, (2**64 - 1, 4), b"", (48,)),
        descriptor(0x03, 0x01, (), b"", (4,)),
    ]
    sections = [
        descriptor(0x03, 0x01, (8, 4), b"", (128,), SHARD, STATISTICS, MEMBER),
        descriptor(0xF0, 0x01, (8, 4), b"", (32,), EXTENSION),
        descriptor(0xF3, 0x02, (8, 4), b"", (32,), SHARD, STATISTICS, EXTENSION, MEMBER),
    ]
    types = (0x10, 0x10, 0x12, 0x10, 0x48, 0x49, 0x43)
    for dtype, scheme in zip(types, SCHEMES, strict=True):
        sections.append(descriptor(dtype, 0x01, (16, 16), b"", (512, 1024, 1024), quantized(scheme)))
        sizes = (512, 1024)
        sections.append(descriptor(dtype, 0x02, (16, 16), b"", sizes, quantized(scheme, 5), STATISTICS))
        sections.append(descriptor(dtype, 0x01, (16, 16), b"", (512,), quantized(scheme)))
    newer = bytearray(plain[0] + b"newer")
    newer[5:10] = pack("<BI", 1, len(newer))
    return [*plain, *sections, bytes(newer), *(path.read_bytes() for path in sorted(GOLDEN.glob("*")))]


def mutated(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """``data`` after one to four changes of the kinds that break readers."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(9):
            case 0 | 1:
                out[at : at + 1] = bytes([chance.choice(INTERESTING)])
            case 2:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                out[at : at + 4] = pack("<I", chance.choice(WIDE) & 0xFFFFFFFF)
            case 4:
                out[at : at + 8] = pack("<Q", chance.choice(WIDE))
            case 5:
                out[at:at] = chance.randbytes(chance.choice((1, 4, 8, 16)))
            case 6:
                del out[at : at + chance.choice((1, 4, 8, 16))]
            case 7:
                other = chance.choice(others)
                cut = chance.randrange(len(other) + 1)
                out[at:] = other[cut:]
            case _ if out:
                bit = chance.randrange(8 * len(out))
                out[bit // 8] ^= 1 << bit % 8
    return bytes(out)


def mended(data: bytes) -> bytes:
    """With a length that is true, so that what lies behind the header is looked at."""
    return data[:6] + pack("<I", len(data)) + data[10:] if len(data) >= 10 else data


def own(data: bytes) -> bytes:
    """What of ``data`` is the descriptor."""
    return data[: unpack_from("<I", data, 6)[0]]


class Finding(AssertionError):
    """What must not be."""


def hold(condition: object, text: str) -> None:
    """An assertion that no switch of the interpreter takes away."""
    if not condition:
        raise Finding(text)


def descriptor_case(data: bytes) -> bool:
    """Whether the bytes were taken. An error that is none of ours goes through."""
    try:
        found = hurray.Descriptor.decode(data)
    except REFUSED as error:
        hold(error.code, f"a refusal without a code: {error}")
        return relayed(data)
    same(found, data)
    look(found)
    hold(hurray.Descriptor.decode(found.encode()) == found, "another descriptor comes back")
    return True


def relayed(data: bytes) -> bool:
    """Whether a relay takes what a strict reader refused."""
    try:
        found = hurray.Descriptor.decode(data, permissive=True)
    except REFUSED as error:
        hold(error.code, f"a refusal without a code: {error}")
        return False
    same(found, data)
    hold(isinstance(found.layout, hurray.UnknownLayout), "the relay takes more than unknown layouts")
    repr(found)
    return True


def same(found: hurray.Descriptor, data: bytes) -> None:
    """A relay writes back what it read."""
    hold(found.encode() == own(data), "the descriptor does not encode to what was read")
    hold(found.encoded_len == len(own(data)), "encoded_len is another")


def look(found: hurray.Descriptor) -> None:
    """Every getter answers."""
    for part in (
        found.dtype,
        found.shape,
        found.layout,
        found.size,
        found.device,
        found.buffer_handles,
        found,
    ):
        repr(part)
    for section in (found.quantization, found.shard, found.statistics, found.extension_type):
        hold(section is None or says_itself(section), f"{section!r} is not what it says")


NAMES = {**vars(hurray), "hurray": hurray}


def says_itself(section: object) -> bool:
    """Whether the repr gives the object again, or is one that only readers take (descriptor.md §8)."""
    try:
        return bool(eval(repr(section), NAMES) == section)  # noqa: S307 - our own reprs
    except hurray.InvalidDescriptorError:
        return isinstance(section, (hurray.Statistics, hurray.ExtensionType))


def scheme_case(data: bytes) -> bool:
    """Whether the bytes were taken."""
    try:
        found = hurray.decode_quantization(data)
    except hurray.InvalidDescriptorError as error:
        hold(error.code, f"a refusal without a code: {error}")
        return False
    encoded = found.encode()
    hold(encoded == data[: len(encoded)], "the scheme does not encode to what was read")
    hold(hurray.decode_quantization(encoded) == found and says_itself(found), "another scheme comes back")
    return True


def work(cases: int, seed: int) -> None:
    """The child: all cases, and a line with the counts."""
    limit_memory()
    chance = random.Random(seed)
    all_seeds = seeds()
    taken = refused_ones = 0
    for case in range(cases):
        kind = case % 8
        if kind == 0:
            data = chance.randbytes(chance.randrange(160))
            if chance.random() < 0.5:
                data = mended(b"HRRY\1\0" + data)
        elif kind < 6:
            data = mutated(chance, chance.choice(all_seeds), all_seeds)
            data = mended(data) if chance.random() < 0.6 else data
            data += chance.randbytes(chance.choice((0, 0, 0, 1, 64)))
        else:
            data = mutated(chance, chance.choice(SCHEMES), list(SCHEMES)) if kind == 6 else b""
            data = data or bytes([chance.randrange(7), 1]) + chance.randbytes(chance.randrange(40))
        try:
            good = scheme_case(data) if kind >= 6 else descriptor_case(data)
        except BaseException:
            print(f"case {case} of seed {seed}: {data.hex()}", file=sys.stderr, flush=True)
            raise
        taken, refused_ones = taken + good, refused_ones + (not good)
    print(f"fuzzed {cases} cases: {taken} taken, {refused_ones} refused")
    hold(not cases or taken > cases // 100, "hardly anything was taken: the cases do not reach far")
    hold(not cases or refused_ones > cases // 100, "hardly anything was refused")


def limit_memory() -> None:
    """Bound this process's address space, where the system can."""
    try:
        import resource
    except ImportError:
        return
    pages = Path("/proc/self/statm")
    if pages.exists():
        now = int(pages.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + ALLOWED, now + ALLOWED))


def main(arguments: list[str]) -> int:
    """Run the cases in a child and give its status; a signal is a finding like any other."""
    if arguments[:1] == ["--child"]:
        work(int(arguments[1]), int(arguments[2]))
        return 0
    cases = int(arguments[0]) if arguments else CASES
    seed = int(arguments[1]) if arguments[1:] else time.time_ns() & 0xFFFFFFFF
    print(f"seed {seed}", flush=True)
    command = [sys.executable, "-m", "fuzz.descriptors", "--child", str(cases), str(seed)]
    done = subprocess.run(command, check=False)
    if done.returncode < 0:
        print(f"the child ended by signal {-done.returncode}", file=sys.stderr)
    return abs(done.returncode)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
