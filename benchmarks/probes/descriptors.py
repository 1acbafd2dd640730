"""A descriptor of 61 bytes decoded and encoded, by whichever ``hurray`` the interpreter has: ``descriptors``."""

from __future__ import annotations

import hurray

from benchmarks.measure import per_statement, serve

# float32, row-major, two dimensions, one buffer (descriptor.md §1).
SIZE = 61


def main() -> None:
    data = hurray.Tensor(bytes(96), hurray.float32, (4, 6)).descriptor.encode()
    if len(data) != SIZE:
        raise SystemExit(f"the descriptor has {len(data)} bytes, not {SIZE}")
    names = {"decode": hurray.Descriptor.decode, "data": data, "descriptor": hurray.Descriptor.decode(data)}
    serve(
        lambda: {
            "decode": [per_statement("decode(data)", names)],
            "encode": [per_statement("descriptor.encode()", names)],
        }
    )


if __name__ == "__main__":
    main()
