"""PyTorch's tensors and state dicts, ours and safetensors' in turns: ``torch FOLDER BYTES RUNS``."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import per_call

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import hurray
    import hurray_torch
    import torch
    from safetensors.torch import load_file, save_file

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 256


def timed(action: Callable[[], object]) -> float:
    """Seconds of one call; what it returns is gone before the next."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def main() -> None:
    folder, size, runs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    ours, theirs = folder / "state.hrry", folder / "state.safetensors"
    small = torch.arange(1024.0)
    tensor = hurray.from_torch(small, copy=False)
    state = {f"w{at}": torch.ones(size // COUNT // 4) for at in range(COUNT)}
    actions: dict[str, Callable[[], object]] = {
        "save": lambda: hurray_torch.save_file(state, ours),
        "their_save": lambda: save_file(state, theirs),
        "load": lambda: hurray_torch.load_file(ours),
        "their_load": lambda: load_file(theirs),
    }
    found: dict[str, list[float]] = {name: [] for name in (*actions, "from", "to")}
    for _ in range(runs):
        found["from"] += per_call(lambda: hurray.from_torch(small), runs=1)
        found["to"] += per_call(tensor.to_torch, runs=1)
        for name, action in actions.items():
            found[name].append(timed(action))
    ours.unlink()
    theirs.unlink()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
