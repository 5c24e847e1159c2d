"""`spectral_visualization_tool`, the only tool of a model: draws a window of the spectrum.

Whatever the model sends, the result is a picture with a line of text or a ToolError with a line of
text, and the model reads that line. All texts here are part of the protocol.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from agent.errors import RangeError, SpectrumError, ToolError
from agent.rendering.render import PUBLISHED, Style, default_title, draw_window
from agent.rendering.window import MIN_POINTS, DrawnPixels, cut_window, drawable_pixels, single_line
from agent.spectra.spectrum import Spectrum

TOOL_NAME = "spectral_visualization_tool"
MAX_LABEL = 200
MAX_WAVELENGTH = 10**9  # angstrom; larger numbers are refused before they are converted or printed

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

WHOLE = "Generated spectral visualization of the whole spectrum."
WHOLE_FOR = "Generated spectral visualization of the whole spectrum for {label}."
LONGEST = 1024  # Characters of a reply; of a longer one the middle is left out.
CUT = "...(truncated)..."


def call_text(arguments: object) -> str:
    call = {"name": TOOL_NAME, "arguments": arguments}
    return json.dumps(call, ensure_ascii=False)


@dataclass(frozen=True, eq=False)
class ToolResult:
    """What the model receives, with the checked `range` and `label` for the record."""

    picture: Image.Image
    text: str
    range: tuple[Number, Number]
    label: str | None
    points: int
    whole: bool = False
    """Whether it is the whole spectrum again; only the published tool draws that."""


def run_tool(
    spectrum: Spectrum,
    arguments: object,
    style: Style = PUBLISHED,
    *,
    title: str | None = None,
    z: float | None = None,
) -> ToolResult:
    """Draw the requested range; with `z`, the range is in the rest frame.

    Raises ToolError, and nothing else, whatever `arguments` contains.
    """
    wavelength_range, label = checked_arguments(arguments)
    window = _drawable(spectrum, z)
    low, high = wavelength_range
    start, end = window.wavelength[0], window.wavelength[-1]
    if high < start or low > end:
        raise RangeError(
            f"The wavelength range ({low}, {high}) Å does not overlap the data, "
            f"which cover {start:.1f} to {end:.1f} Å."
        )
    shown = cut_window(window, float(low), float(high))
    if len(shown) < MIN_POINTS:
        count = {0: "no pixel", 1: "one pixel"}[len(shown)]
        raise ToolError(
            f"The wavelength range ({low}, {high}) Å holds {count} of the spectrum; "
            "ask for a wider range."
        )
    pixels = draw_window(shown, default_title(spectrum) if title is None else title, style)
    return ToolResult(
        picture=Image.fromarray(pixels),
        text=reply_text(wavelength_range, label),
        range=wavelength_range,
        label=label,
        points=len(shown),
    )


def checked_arguments(arguments: object) -> tuple[tuple[Number, Number], str | None]:
    """Range and label from a model's arguments; unknown keys are ignored."""
    if not isinstance(arguments, Mapping):
        raise ToolError("The arguments must be an object with a wavelength_range.")
    if "wavelength_range" not in arguments:
        raise ToolError("The argument wavelength_range is missing: two numbers in Å.")
    value = arguments["wavelength_range"]
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise RangeError("wavelength_range must be a list of two numbers in Å, [start, end].")
    low, high = value
    if not (_is_number(low) and _is_number(high)):
        raise RangeError("wavelength_range must hold two finite numbers in Å.")
    if low >= high:
        raise RangeError(f"wavelength_range must start below its end, but {low} >= {high}.")
    return (low, high), _checked_label(arguments.get("label"))


def reply_text(wavelength_range: tuple[Number, Number], label: str | None) -> str:
    """The text that goes with the picture; numbers are printed as the model wrote them."""
    low, high = wavelength_range
    purpose = f" for {label}" if label else ""
    return (
        f"Generated spectral visualization focused on wavelength range ({low}, {high}) Å{purpose}."
    )


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MAX_WAVELENGTH  # False for NaN, too


def _checked_label(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ToolError("label must be a string.")
    return single_line(value, MAX_LABEL) or None


# The tool as the published models know it: without a range it shows the whole spectrum again.
def run_published_tool(
    spectrum: Spectrum,
    arguments: object,
    style: Style = PUBLISHED,
    *,
    title: str | None = None,
    z: float | None = None,
    replies: Mapping[str, str] | None = None,
) -> ToolResult:
    """Draw the requested range, or all; `replies` are a wording's, else the sentences are ours.

    Raises ToolError, and nothing else, whatever `arguments` contains.
    """
    said = replies or {}
    if not isinstance(arguments, Mapping):
        raise ToolError("The arguments must be an object.")
    label = _label(arguments.get("label"))
    known = {**arguments, "label": label or None}
    try:
        if arguments.get("wavelength_range") is None:
            window = _drawable(spectrum, z)
            pixels = draw_window(window, default_title(spectrum) if title is None else title, style)
            text = said.get("whole_for", WHOLE_FOR) if label else said.get("whole", WHOLE)
            return ToolResult(
                picture=Image.fromarray(pixels),
                text=_shortened(text.replace("{label}", label)),
                range=(float(window.wavelength[0]), float(window.wavelength[-1])),
                label=label or None,
                points=len(window),
                whole=True,
            )
        result = run_tool(spectrum, known, style, title=title, z=z)
    except RangeError as error:
        raise ToolError(_refusal(error, arguments, _drawable(spectrum, z), said)) from error
    return replace(result, text=window_reply(result.range, label))


def window_reply(shown: tuple[Number, Number], label: object) -> str:
    """What the tool says beside the picture of a window."""
    return _shortened(reply_text(shown, _label(label)))


def _refusal(
    error: RangeError, arguments: Mapping[str, object], window: DrawnPixels, said: Mapping[str, str]
) -> str:
    text = said.get("refused")
    asked = arguments["wavelength_range"]
    if text is None or not isinstance(asked, list | tuple) or len(asked) != 2:
        return str(error)
    start, end = (f"{edge:.1f}" for edge in (window.wavelength[0], window.wavelength[-1]))
    low, high = (repr(each)[:100] for each in asked)
    for name, value in (("low", low), ("high", high), ("start", start), ("end", end)):
        text = text.replace(f"{{{name}}}", value)
    return _shortened(text)


def _drawable(spectrum: Spectrum, z: float | None) -> DrawnPixels:
    try:
        window = drawable_pixels(spectrum, z)
    except SpectrumError as error:
        raise ToolError(str(error)) from error
    if len(window) < MIN_POINTS:
        raise ToolError("The spectrum has no finite pixels to draw.")
    return window


def _label(value: object) -> str:
    """The label as the published tool prints it: anything but nothing."""
    return str(value)[: 4 * LONGEST] if value else ""


def _shortened(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]}{CUT}{text[-half:]}"
