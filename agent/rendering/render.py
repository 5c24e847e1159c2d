"""Draws spectra. matplotlib is imported with the first picture, pyplot never."""

import struct
import zlib
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from agent.errors import SpectrumError
from agent.rendering.style import (
    AS_PUBLISHED,
    COMPACT,
    COMPACT_PANELS,
    EYE,
    PUBLISHED,
    STYLES,
    Style,
)
from agent.rendering.window import (
    MAX_TITLE,
    MIN_POINTS,
    DrawnPixels,
    cut_window,
    drawable_pixels,
    single_line,
)
from agent.spectra.spectrum import Spectrum

__all__ = [
    "AS_PUBLISHED", "COMPACT", "COMPACT_PANELS", "EYE", "PUBLISHED", "STYLES", "Style",
    "default_title", "draw_window", "png_bytes", "render_array", "render_spectrum",
]  # fmt: skip

SIGNATURE = b"\x89PNG\r\n\x1a\n"
EIGHT_BIT_RGB = struct.pack(">5B", 8, 2, 0, 0, 0)
UP_FILTER = 2
LEVEL = 1  # the quickest: after the filter most bytes are zero


def render_spectrum(
    spectrum: Spectrum,
    wavelength_range: tuple[float, float] | None = None,
    *,
    title: str | None = None,
    style: Style = PUBLISHED,
    z: float | None = None,
) -> Image.Image:
    """Draw the picture that a model sees, as RGB.

    `wavelength_range` is in angstrom, both ends included, in the rest frame if `z` is given. Raises
    SpectrumError if fewer than two finite pixels are left.
    """
    return Image.fromarray(render_array(spectrum, wavelength_range, title=title, style=style, z=z))


def render_array(
    spectrum: Spectrum,
    wavelength_range: tuple[float, float] | None = None,
    *,
    title: str | None = None,
    style: Style = PUBLISHED,
    z: float | None = None,
) -> NDArray[np.uint8]:
    """Like `render_spectrum`, but returns (rows, columns, 3) pixels from the top left."""
    whole = drawable_pixels(spectrum, z)
    window = whole if wavelength_range is None else cut_window(whole, *wavelength_range)
    if len(window) < MIN_POINTS:
        raise SpectrumError(_too_few(window, whole))
    return draw_window(window, default_title(spectrum) if title is None else title, style)


def _too_few(window: DrawnPixels, whole: DrawnPixels) -> str:
    problem = f"{len(window)} finite pixels are too few for a picture"
    if len(whole) < MIN_POINTS:
        return problem
    low, high = whole.wavelength[0], whole.wavelength[-1]
    return f"{problem}: the spectrum covers {low:.0f} to {high:.0f} Å"


def draw_window(window: DrawnPixels, title: str, style: Style = PUBLISHED) -> NDArray[np.uint8]:
    """Draw selected pixels, from any thread; the result is deterministic."""
    title = single_line(title, MAX_TITLE)
    if style.layout == "published":
        from agent.rendering import published

        return published.draw(window, title)
    from agent.rendering import compact

    return compact.draw(window, title, style)


def png_bytes(picture: Image.Image | NDArray[np.uint8]) -> bytes:
    """Encode a picture as PNG."""
    if isinstance(picture, np.ndarray):
        return encode(picture)
    return encode(np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB")))


def default_title(spectrum: Spectrum) -> str:
    """`Spectrum: ` and the file's name, as in the published pictures."""
    name = PurePath(spectrum.path).name or spectrum.object_id
    return f"Spectrum: {name}" if name else "Spectrum"


def encode(pixels: NDArray[np.uint8], dpi: float | None = None) -> bytes:
    """Encode (rows, columns, 3) 8-bit RGB; equal pixels give equal bytes."""
    rows, columns, channels = pixels.shape
    if channels != 3 or pixels.dtype != np.uint8:
        raise ValueError(f"not 8-bit RGB: {pixels.shape} {pixels.dtype}")
    # Rows are stored as differences from the row above: vertical lines and white become zeros.
    flat = pixels.reshape(rows, -1)
    filtered = np.empty((rows, 1 + flat.shape[1]), dtype=np.uint8)
    filtered[:, 0] = UP_FILTER
    filtered[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=filtered[1:, 1:])
    chunks = [(b"IHDR", struct.pack(">2I", columns, rows) + EIGHT_BIT_RGB)]
    if dpi is not None:
        per_metre = round(dpi / 0.0254)
        chunks.append((b"pHYs", struct.pack(">2IB", per_metre, per_metre, 1)))
    chunks.append((b"IDAT", zlib.compress(filtered.data, LEVEL)))
    chunks.append((b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
