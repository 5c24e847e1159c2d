"""SHA-256 fingerprints of spectra, pictures, texts and files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # what only hashes files loads none of these
    from numpy.typing import ArrayLike
    from PIL import Image

    from agent.spectra.spectrum import Spectrum

PIECE_BYTES = 4 * 1024 * 1024


def spectrum_hash(spectrum: Spectrum) -> str:
    """Hash the arrays that are drawn and measured; names and headers do not count."""
    digest = hashlib.sha256()
    for name in ("wavelength", "flux", "ivar", "mask"):
        values = getattr(spectrum, name)
        digest.update(name.encode())
        if values is not None:
            digest.update(_bytes(values, "<u1" if name == "mask" else "<f8"))
    return digest.hexdigest()


def picture_hash(picture: Image.Image) -> str:
    """Hash the size and the RGB pixels, not the file format."""
    digest = hashlib.sha256(f"{picture.width}x{picture.height}".encode())
    rgb = picture if picture.mode == "RGB" else picture.convert("RGB")
    digest.update(_bytes(np.asarray(rgb), "<u1"))
    return digest.hexdigest()


def text_hash(text: str) -> str:
    return bytes_hash(text.encode("utf-8", "surrogatepass"))


def bytes_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def file_hash(path: Path, on_bytes: Callable[[int], object] = lambda count: None) -> str:
    """Raises OSError. `on_bytes` receives the size of each piece read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            on_bytes(len(piece))
    return digest.hexdigest()


def _bytes(values: ArrayLike, dtype: str) -> memoryview:
    return np.ascontiguousarray(values, dtype=np.dtype(dtype)).data
