"""SHA-256 fingerprints of spectra, pictures and texts."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from agent.spectra.spectrum import Spectrum


def spectrum_hash(spectrum: Spectrum) -> str:
    """Hash the arrays that are drawn and measured; names and headers do not count."""
    digest = hashlib.sha256()
    for name, values in (
        ("wavelength", spectrum.wavelength),
        ("flux", spectrum.flux),
        ("ivar", spectrum.ivar),
        ("mask", spectrum.mask),
    ):
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
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _bytes(values: ArrayLike, dtype: str) -> memoryview:
    return np.ascontiguousarray(values, dtype=np.dtype(dtype)).data
