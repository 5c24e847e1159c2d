"""Shards of lessons on disk: compressed grey pictures with their ranges and targets."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.atomic_file import atomic_file
from agent.errors import WorkbenchError, write_errors
from agent.spectra.spectrum import FloatArray


@dataclass(frozen=True, eq=False)
class Lesson:
    """One spectrum: pictures (n, height, width) in grey, their ranges and the asked ranks."""

    pictures: NDArray[np.uint8]
    ranges: FloatArray
    targets: FloatArray
    kind: int
    label: str


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures of many spectra in memory, each compressed."""

    blobs: tuple[bytes, ...]
    size: tuple[int, int]
    ranges: FloatArray
    targets: FloatArray
    kinds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.blobs)

    def picture(self, index: int) -> NDArray[np.uint8]:
        """(height, width) in grey."""
        return np.frombuffer(zlib.decompress(self.blobs[index]), np.uint8).reshape(self.size)


def write_lessons(path: Path, lessons: Sequence[Lesson]) -> None:
    blobs = [zlib.compress(picture.tobytes(), 1) for one in lessons for picture in one.pictures]
    counts = [len(one.pictures) for one in lessons]
    with write_errors(path), atomic_file(path) as file:
        np.savez(
            file,
            pictures=np.frombuffer(b"".join(blobs), np.uint8),
            ends=np.cumsum([len(blob) for blob in blobs]),
            size=np.array(lessons[0].pictures.shape[1:]),
            ranges=np.concatenate([one.ranges for one in lessons]).astype(np.float32),
            targets=np.concatenate([one.targets for one in lessons]).astype(np.float16),
            kinds=np.repeat([one.kind for one in lessons], counts),
            spectra=np.repeat(np.arange(len(lessons)), counts),
        )


def count_pictures(path: Path) -> int:
    """How many pictures a shard has, without reading them."""
    try:
        with np.load(path, allow_pickle=False) as shard:
            return int(shard["kinds"].size)
    except (OSError, KeyError, ValueError) as error:
        raise WorkbenchError(f"{path} is no shard of lessons: {error}") from error


def read_lessons(paths: Sequence[Path]) -> Pictures:
    """All pictures of these shards."""
    blobs: list[bytes] = []
    columns: dict[str, list[np.ndarray]] = {"ranges": [], "targets": [], "kinds": []}
    size = (0, 0)
    for path in paths:
        try:
            with np.load(path, allow_pickle=False) as shard:
                joined, ends = shard["pictures"].tobytes(), shard["ends"].tolist()
                size = (int(shard["size"][0]), int(shard["size"][1]))
                for name, parts in columns.items():
                    parts.append(shard[name])
        except (OSError, KeyError, ValueError) as error:
            raise WorkbenchError(f"{path} is no shard of lessons: {error}") from error
        blobs += [joined[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    if not blobs:
        raise WorkbenchError("there are no lessons")
    return Pictures(
        tuple(blobs),
        size,
        np.concatenate(columns["ranges"]).astype(np.float64),
        np.concatenate(columns["targets"]).astype(np.float64),
        np.concatenate(columns["kinds"]).astype(np.int64),
    )
