"""Pictures that show something else than the spectrum whose numbers are told."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from PIL import Image

from agent.inspection.pictures import PictureMaker
from agent.protocol.tool import ToolResult
from agent.spectra.spectrum import FloatArray, Spectrum, frame_z
from agent.trajectory.trajectory import Step

Pictures = Literal["own", "white", "other", "mirrored", "shifted"]
PICTURES: tuple[Pictures, ...] = get_args(Pictures)
SHIFT_A = 300.0


def mirrored(spectrum: Spectrum) -> Spectrum:
    """The fluxes in reverse order on the same wavelengths."""
    low, high = spectrum.range
    return taken_from(spectrum, low + high - spectrum.wavelength)


def shifted(spectrum: Spectrum) -> Spectrum:
    """The fluxes SHIFT_A redward on the same wavelengths; the mirrored start fills the gap."""
    low = spectrum.wavelength[0]
    return taken_from(spectrum, low + np.abs(spectrum.wavelength - SHIFT_A - low))


def in_the_frame_of(spectrum: Spectrum, other: Spectrum) -> Spectrum:
    """`spectrum` moved so that it is at rest in the pictures drawn for the redshift of `other`."""
    factor = (1.0 + (frame_z(other) or 0.0)) / (1.0 + (frame_z(spectrum) or 0.0))
    return replace(spectrum, wavelength=factor * spectrum.wavelength)


def picture_maker(pictures: Pictures, other: Spectrum | None = None) -> type[PictureMaker]:
    """The kind of picture maker for these pictures; `other` is the spectrum to draw instead."""
    if pictures == "own":
        return PictureMaker
    if pictures == "white":
        return WhitePaper
    if pictures == "other":
        assert other is not None, "the other spectrum must be named"
        return _drawing(lambda spectrum: in_the_frame_of(other, spectrum))
    return _drawing(mirrored if pictures == "mirrored" else shifted)


class WhitePaper(PictureMaker):
    """Draws nothing: every picture is white paper of the usual size."""

    def overview(self) -> Image.Image:
        return _white(super().overview())

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        picture, result = super().look(arguments)
        return _white(picture), result

    def redraw(self, look: Step) -> Image.Image:
        return _white(super().redraw(look))


def _white(picture: Image.Image) -> Image.Image:
    return Image.new(picture.mode, picture.size, "white")


def _drawing(change: Callable[[Spectrum], Spectrum]) -> type[PictureMaker]:
    """A picture maker that draws the changed spectrum and tells the numbers of the right one."""
    changed = lru_cache(maxsize=1)(change)

    class Changed(PictureMaker):
        @property
        def drawn(self) -> Spectrum:
            return changed(self.spectrum)

    return Changed


def taken_from(spectrum: Spectrum, places: FloatArray) -> Spectrum:
    """The spectrum with the values found at other wavelengths of it."""
    nearest = np.searchsorted(spectrum.wavelength, places).clip(0, len(spectrum) - 1)
    return replace(
        spectrum,
        flux=np.interp(places, spectrum.wavelength, spectrum.flux),
        ivar=None if spectrum.ivar is None else spectrum.ivar[nearest],
        mask=None if spectrum.mask is None else spectrum.mask[nearest],
    )
