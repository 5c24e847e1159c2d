"""The picture of a spectrum, or of one window of it, as an agent sees it."""

from __future__ import annotations

from agent.protocol.tool import run_tool
from agent.rendering.render import default_title, png_bytes, render_array
from agent.spectra.spectrum import Spectrum
from app.mcp.sources import SourceError

MAX_PNG_BYTES = 2_000_000


def picture(
    spectrum: Spectrum, window: tuple[float, float] | None, label: str
) -> tuple[bytes, str]:
    """A PNG and the sentence that goes with it; the size is that of our pictures, never asked."""
    png, said = _whole(spectrum) if window is None else _window(spectrum, window, label)
    if len(png) > MAX_PNG_BYTES:
        raise SourceError("the picture is too large to be sent: ask for a narrower window")
    return png, f"{said} SIMULATED." if spectrum.simulated else said


def _whole(spectrum: Spectrum) -> tuple[bytes, str]:
    low, high = spectrum.range
    png = png_bytes(render_array(spectrum, title=default_title(spectrum)))
    return png, f"The whole spectrum, {low:.1f} to {high:.1f} Å."


def _window(spectrum: Spectrum, window: tuple[float, float], label: str) -> tuple[bytes, str]:
    arguments = {"wavelength_range": list(window), "label": label}
    result = run_tool(spectrum, arguments, title=default_title(spectrum))
    return png_bytes(result.picture), result.text
