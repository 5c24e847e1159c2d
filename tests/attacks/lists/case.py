"""One crafted list, and what must come of it."""

import gzip
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Expected = int | str | None
"""Rows that are imported, words of the refusal, or either."""


@dataclass(frozen=True)
class Case:
    make: Callable[[Path], Path]
    """Puts the list, and whatever belongs to it, into an empty folder."""
    expected: Expected = None


def file(content: str | bytes, expected: Expected = None, name: str = "list.csv") -> Case:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return Case(make, expected)


def pieces(*parts: tuple[bytes, int], expected: Expected = None, name: str = "list.csv") -> Case:
    """A long file: each part so many times; packed if its name says so."""

    def make(folder: Path) -> Path:
        path = folder / name
        with gzip.open(path, "wb", 6) if name.endswith(".gz") else path.open("wb") as out:
            for part, count in parts:
                block = part * max(1, 2**20 // len(part)) if count > 1000 else part
                whole, rest = divmod(count, len(block) // len(part))
                for _ in range(whole):
                    out.write(block)
                out.write(part * rest)
        return path

    return Case(make, expected)


def one_row(path: str, expected: Expected = "none of its 1 rows can be used") -> Case:
    """A list with one object, whose spectrum is said to be there."""
    cell = '"' + path.replace('"', '""') + '"'
    return file(f"name,path\nstar,{cell}\n".encode("utf-8", "surrogateescape"), expected)


def noise(count: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(count)
