"""GGUF files as a stranger might write them, and what loading them does."""

import io
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import Image

from agent.engines.base import SamplingSettings
from agent.engines.gguf.engine import GgufEngine
from agent.engines.gguf.header import _read, _Reader
from agent.errors import WorkbenchError
from agent.models.registry import model_at
from agent.protocol.protocol import Turn


def load_gguf(model: str, vision: str) -> str:
    """Read a card, load the model with llama.cpp and let it write a few tokens."""
    try:
        model_at(Path(model))
        engine = GgufEngine.load(Path(model), Path(vision), context_length=512, threads=1)
        conversation = engine.open()
        side = engine.sizing.factor
        noise = np.random.default_rng(0).integers(0, 256, (3 * side, 4 * side, 3))
        turns = [Turn("system", "You see."), Turn("user", "Is it?", picture=0)]
        conversation.append(turns, [Image.fromarray(noise.astype(np.uint8))])
        conversation.generate(SamplingSettings(max_new_tokens=2))
        engine.close()
    except WorkbenchError as error:
        return str(error)
    return ""


class _Recorder(_Reader):
    """Notes where the numbers of a header are, but not the lengths of its texts."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        super().__init__(file, size)
        self.places: list[tuple[int, str]] = []

    def number(self, form: str) -> int:
        self.places.append((self.position, form))
        return super().number(form)

    def text(self, most: int) -> str:
        kept = len(self.places)
        text = super().text(most)
        del self.places[kept:]
        return text


EDGES = (0, 1, 2, 3, 7, 64, 255, 2**15, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


def mutated_gguf(source: Path, target: Path, seed: int) -> None:
    """The file with one to three numbers of its header changed."""
    randomness = np.random.default_rng(seed)
    data = bytearray(source.read_bytes())
    recorder = _Recorder(io.BytesIO(data), len(data))
    _read(recorder, source)
    for _ in range(int(randomness.integers(1, 4))):
        at, form = recorder.places[int(randomness.integers(0, len(recorder.places)))]
        size = struct.calcsize(form)
        before = int.from_bytes(data[at : at + size], "little")
        others = [p for p, same in recorder.places if same == form]
        other = others[int(randomness.integers(0, len(others)))]
        swapped = int.from_bytes(data[other : other + size], "little")
        new = (swapped, before + 1, before - 1, 2 * before, before // 2, *EDGES)
        chosen = new[int(randomness.integers(0, len(new)))] % 256**size
        data[at : at + size] = chosen.to_bytes(size, "little")
    target.write_bytes(data)
