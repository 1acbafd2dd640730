"""What is asked of a tensor all the time, and of a large one now and then: ``tensors``."""

from __future__ import annotations

import mmap
import pickle
from typing import Any

import hurray

from benchmarks.measure import peak, per_statement, reset_peak, resident, serve, times
from benchmarks.probes.calls import aligned

GIB = 1 << 30


def pickled(tensor: hurray.Tensor) -> object:
    """The tensor's pickle, and the buffers that travel beside it."""
    buffers: list[pickle.PickleBuffer] = []
    return pickle.dumps(tensor, protocol=5, buffer_callback=buffers.append), buffers


def added(action: Any) -> float:
    """The most bytes of memory that it takes."""
    reset_peak()
    before = resident()
    kept = action()
    most = float(peak() - before)
    del kept
    return most


def main() -> None:
    buffer = aligned(1024)
    small = hurray.Tensor(buffer, hurray.float32, (1024,))
    buffer[0] = 7
    if memoryview(small)[0] != 7:
        raise SystemExit("the aligned buffer was copied")
    names = {"Tensor": hurray.Tensor, "float32": hurray.float32, "buffer": buffer, "t": small}
    statements = {
        "construct": "Tensor(buffer, float32, (1024,))",
        "layout": "t.layout",
        "shape": "t.shape",
        "dtype": "t.dtype",
    }
    # Pages that nobody has touched: whoever copies them makes them.
    large = hurray.Tensor(mmap.mmap(-1, GIB), hurray.float32, (GIB // 4,))
    sized = [len(part.raw()) for part in pickled(large)[1]]  # type: ignore[index]
    if sized != [GIB]:
        raise SystemExit(f"the buffers beside the pickle have {sized} bytes")

    def turn() -> dict[str, list[float]]:
        found = {name: [per_statement(statement, names)] for name, statement in statements.items()}
        found["repr"] = times(lambda: repr(large), 5)
        found["pickle"] = times(lambda: pickled(large), 5)
        found["repr memory"] = [added(lambda: repr(large))]
        found["pickle memory"] = [added(lambda: pickled(large))]
        return found

    serve(turn)


if __name__ == "__main__":
    main()
