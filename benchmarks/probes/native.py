"""A tensor through a native capsule and back, by whichever ``hurray`` the interpreter has: ``native``."""

from __future__ import annotations

from typing import Any

import hurray

from benchmarks.measure import per_statement, serve


class Wrapped:
    """An object of somebody else's class, with the dunder alone."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __hurray__(self, stream: Any = None) -> Any:
        return self.tensor.__hurray__()


def main() -> None:
    tensor = hurray.Tensor(bytes(64), hurray.float32, (4, 4))
    names = {"take": hurray.from_hurray, "t": tensor, "wrapped": Wrapped(tensor)}
    serve(
        lambda: {
            "tensor": [per_statement("take(t)", names)],
            "wrapped": [per_statement("take(wrapped)", names)],
        }
    )


if __name__ == "__main__":
    main()
