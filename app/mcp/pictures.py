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
    title = default_title(spectrum)
    if window is None:
        png = png_bytes(render_array(spectrum, title=title))
        low, high = spectrum.range
        said = f"The whole spectrum, {low:.1f} to {high:.1f} Å."
    else:
        result = run_tool(spectrum, {"wavelength_range": list(window), "label": label}, title=title)
        png, said = png_bytes(result.picture), result.text
    if len(png) > MAX_PNG_BYTES:
        raise SourceError("the picture is too large to be sent: ask for a narrower window")
    return png, f"{said} SIMULATED." if spectrum.simulated else said
