"""`spectral_visualization_tool`: the one call a model can make, from its arguments to a picture.

Whatever the model sends, the answer is a picture with one line of text or a ToolError with one
line of text; the model reads either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image

from agent.errors import SpectrumError, ToolError
from agent.rendering.render import PUBLISHED, Style, default_title, draw_window
from agent.rendering.window import MIN_POINTS, DrawnPixels, cut, tidy, usable
from agent.spectra.spectrum import Spectrum

TOOL_NAME = "spectral_visualization_tool"
MAX_LABEL = 200
LARGEST = 10**9
"""Angstrom; numbers past this are refused before anything converts or prints them."""

TOOL_SCHEMA: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": TOOL_NAME,
        "description": (
            "Draw the spectrum again, enlarged on one wavelength range, from the measured data."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "wavelength_range": {
                    "type": "array",
                    "items": {"type": "number"},
                    "minItems": 2,
                    "maxItems": 2,
                    "description": "Start and end of the range in angstrom, start below end.",
                },
                "label": {
                    "type": "string",
                    "description": "What the range is inspected for, such as a line or a band.",
                },
            },
            "required": ["wavelength_range"],
        },
    },
}

Number = int | float


@dataclass(frozen=True, eq=False)
class ToolResult:
    """What the model gets back; `range` and `label` as understood, for the record."""

    picture: Image.Image
    text: str
    range: tuple[Number, Number]
    label: str | None
    points: int


def run_tool(
    spectrum: Spectrum,
    arguments: object,
    style: Style = PUBLISHED,
    *,
    title: str | None = None,
    z: float | None = None,
) -> ToolResult:
    """Answer one call. `z` moves the spectrum to its rest frame before the range is cut.

    Raises ToolError, and nothing else, for anything a model may send.
    """
    wavelength_range, label = checked_arguments(arguments)
    try:
        window = usable(spectrum, z)
    except SpectrumError as error:
        raise ToolError(str(error)) from error
    shown = _shown(window, wavelength_range)
    pixels = draw_window(shown, default_title(spectrum) if title is None else title, style)
    return ToolResult(
        picture=Image.fromarray(pixels),
        text=reply_text(wavelength_range, label),
        range=wavelength_range,
        label=label,
        points=len(shown),
    )


def checked_arguments(arguments: object) -> tuple[tuple[Number, Number], str | None]:
    """The range and the label in a model's arguments. Keys the tool does not know are ignored."""
    if not isinstance(arguments, Mapping):
        raise ToolError("The arguments must be an object with a wavelength_range.")
    if "wavelength_range" not in arguments:
        raise ToolError("The argument wavelength_range is missing: two numbers in Å.")
    return _checked_range(arguments["wavelength_range"]), _checked_label(arguments.get("label"))


def reply_text(wavelength_range: tuple[Number, Number], label: str | None) -> str:
    """The line that goes with the picture, numbers as the model wrote them."""
    low, high = wavelength_range
    purpose = f" for {label}" if label else ""
    return (
        f"Generated spectral visualization focused on wavelength range ({low}, {high}) Å{purpose}."
    )


def _checked_range(value: object) -> tuple[Number, Number]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ToolError("wavelength_range must be a list of two numbers in Å, [start, end].")
    low, high = value
    if not (_is_number(low) and _is_number(high)):
        raise ToolError("wavelength_range must hold two finite numbers in Å.")
    if low >= high:
        raise ToolError(f"wavelength_range must start below its end, but {low} >= {high}.")
    return low, high


def _is_number(value: object) -> bool:
    """True and False are ints to Python but no wavelengths."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= LARGEST  # false for NaN too


def _checked_label(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ToolError("label must be a string.")
    return tidy(value, MAX_LABEL) or None


def _shown(window: DrawnPixels, wavelength_range: tuple[Number, Number]) -> DrawnPixels:
    low, high = wavelength_range
    if len(window) < MIN_POINTS:
        raise ToolError("The spectrum has no finite pixels to draw.")
    start, end = window.wavelength[0], window.wavelength[-1]
    if high < start or low > end:
        raise ToolError(
            f"The wavelength range ({low}, {high}) Å does not overlap the data, "
            f"which cover {start:.1f} to {end:.1f} Å."
        )
    shown = cut(window, float(low), float(high))
    if len(shown) < MIN_POINTS:
        count = {0: "no pixel", 1: "one pixel"}[len(shown)]
        raise ToolError(
            f"The wavelength range ({low}, {high}) Å holds {count} of the spectrum; "
            "ask for a wider range."
        )
    return shown
