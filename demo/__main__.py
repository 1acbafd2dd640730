"""``python -m demo [minilm|wordllama]``: the main job on a real checkpoint, with a summary at the end."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from demo.checkpoints import CHECKPOINTS, MINILM
from demo.steps import run
from demo.words import nearest


def main(arguments: list[str]) -> int:
    """Run the demo on the checkpoint that is named, by default the larger one."""
    if len(arguments) > 1 or not set(arguments) <= set(CHECKPOINTS):
        print(f"usage: python -m demo [{'|'.join(CHECKPOINTS)}]", file=sys.stderr)
        return 2
    checkpoint = CHECKPOINTS[arguments[0]] if arguments else MINILM
    begin = time.perf_counter()
    source = checkpoint.fetch()
    print(f"{checkpoint.title}: {source.name} of {checkpoint.requirement}, {source.stat().st_size:,} bytes")
    print(f"fetched and checked against its pinned hash in {time.perf_counter() - begin:.1f} s\n")
    with tempfile.TemporaryDirectory(prefix="hurray-demo-") as name:
        folder = Path(name)
        done = run(source, folder)
        if checkpoint is MINILM:
            vocabulary = source.with_name("vocab.txt")
            table = "embeddings.word_embeddings.weight"
            done.do(
                "use: nearest to 'ocean'",
                lambda: ", ".join(nearest(folder / "model.hrry", table, vocabulary, "ocean")),
            )
        print()
        width = max(len(step.what) for step in done.steps)
        for step in done.steps:
            result = step.result.replace(f"{folder}/", "")
            print(f"{step.what:{width}}  {step.seconds * 1000:9.2f} ms  {result}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
