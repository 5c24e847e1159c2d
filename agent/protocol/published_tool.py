"""The tool as the published models know it: without a range it shows the whole spectrum again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PIL import Image

from agent.errors import RangeError, SpectrumError, ToolError
from agent.protocol.tool import Number, ToolResult, reply_text, run_tool
from agent.rendering.render import PUBLISHED, Style, default_title, draw_window
from agent.rendering.window import MIN_POINTS, DrawnPixels, drawable_pixels
from agent.spectra.spectrum import Spectrum

WHOLE = "Generated spectral visualization of the whole spectrum."
WHOLE_FOR = "Generated spectral visualization of the whole spectrum for {label}."
LONGEST = 1024
"""Characters of a reply; of a longer one the middle is left out."""
CUT = "...(truncated)..."


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
            return _whole(_drawable(spectrum, z), spectrum, label, style, title, said)
        result = run_tool(spectrum, known, style, title=title, z=z)
    except RangeError as error:
        raise ToolError(_refusal(error, arguments, _drawable(spectrum, z), said)) from error
    return replace(result, text=window_reply(result.range, label))


def window_reply(shown: tuple[Number, Number], label: object) -> str:
    """What the tool says beside the picture of a window."""
    return _shortened(reply_text(shown, _label(label)))


def _whole(
    window: DrawnPixels,
    spectrum: Spectrum,
    label: str,
    style: Style,
    title: str | None,
    said: Mapping[str, str],
) -> ToolResult:
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


def _refusal(
    error: RangeError, arguments: Mapping[str, object], window: DrawnPixels, said: Mapping[str, str]
) -> str:
    text = said.get("refused")
    asked = arguments["wavelength_range"]
    if text is None or not isinstance(asked, list | tuple) or len(asked) != 2:
        return str(error)
    start, end = (f"{edge:.1f}" for edge in (window.wavelength[0], window.wavelength[-1]))
    numbers = {
        "low": repr(asked[0])[:100],
        "high": repr(asked[1])[:100],
        "start": start,
        "end": end,
    }
    for name, value in numbers.items():
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
