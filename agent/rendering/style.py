"""Picture styles: the published one, and compact ones for small models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from agent.errors import ResourceError

LAYOUTS = ("published", "compact")
PANELS = ("flux", "flux+normalised")


@dataclass(frozen=True, kw_only=True)
class Style:
    """Options of the compact layout; the published layout is fixed.

    Sizes are pixels. The picture is exactly `width` x `height`, both multiples of `multiple`, so
    that no engine resamples it.
    """

    name: str
    layout: str = "compact"
    width: int = 336
    height: int = 224
    multiple: int = 28
    tick_size: float = 13.0
    name_size: float = 13.0
    title_size: float = 14.0
    line_width: float = 1.3
    wavelength_ticks: int = 6
    """Maximum number of steps between labels on the wavelength axis; 0 for no labels."""
    flux_ticks: int = 3
    grid: bool = True
    names: bool = False  # write `Wavelength (Å)` and `Flux` beside the axes
    title: bool = False
    box: bool = False
    panels: str = "flux"
    """`flux+normalised` adds a panel with the flux divided by a pseudo-continuum."""
    mean_line: bool = True
    """For dense spectra: draw the mean per column in black over the pixels in grey."""
    brief: bool = False
    """Prompt with the question alone, for models that were trained on guideline and rules."""
    numbers: bool = False  # give measurements of the window with its picture
    bluest: float = 0.0  # Angstrom as observed; bluer pixels are not shown to the model.
    reddest: float = 1e6  # Angstrom as observed; redder pixels are not shown to the model.

    def __post_init__(self) -> None:
        for item in fields(self):
            key, value = item.name, getattr(self, item.name)
            kind = type(_DEFAULTS.get(key, ""))
            if kind is float and type(value) is int:
                value = float(value)
                object.__setattr__(self, key, value)
            if type(value) is not kind:
                raise self._error(f"{key} must be a {kind.__name__}")
            low, high = _LIMITS.get(key, (-math.inf, math.inf))
            if isinstance(value, int | float) and not low <= value <= high:
                raise self._error(f"{key} must be between {low} and {high}")
        if self.layout not in LAYOUTS:
            raise self._error(f"layout must be one of {', '.join(LAYOUTS)}")
        if self.panels not in PANELS:
            raise self._error(f"panels must be one of {', '.join(PANELS)}")
        if self.bluest >= self.reddest:
            raise self._error("bluest must be below reddest")
        if self.width % self.multiple or self.height % self.multiple:
            raise self._error(f"width and height must be multiples of {self.multiple}")

    def _error(self, why: str) -> ResourceError:
        return ResourceError(f"picture style {str(self.name)[:60]!r}: {why}")

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Style:
        """Make a style from a table of a model's card; raises ResourceError for unknown keys.

        `{"name": "published"}` and `{"name": "compact"}` are the built-in styles.
        """
        known = {item.name for item in fields(cls)}
        name = table.get("name")
        if not isinstance(name, str) or not name:
            raise ResourceError("a picture style needs a name")
        if unknown := sorted(str(key)[:60] for key in set(table) - known):
            keys = ", ".join(unknown[:5])
            raise ResourceError(f"picture style {name[:60]!r}: unknown key {keys}")
        options = dict(table)
        is_published = name in (PUBLISHED.name, AS_PUBLISHED.name)
        options.setdefault("layout", "published" if is_published else "compact")
        if options["layout"] == "published" and set(options) - {"name", "layout"}:
            raise ResourceError(f"picture style {name[:60]!r}: the published layout has no options")
        return cls(**options)

    def to_table(self) -> dict[str, Any]:
        """The table from which `from_table` makes an equal style."""
        if self.layout == "published":
            return {"name": self.name, "layout": self.layout}
        return {item.name: getattr(self, item.name) for item in fields(self)}


_DEFAULTS: dict[str, object] = {item.name: item.default for item in fields(Style)}
_DEFAULTS["name"] = ""
_LIMITS: dict[str, tuple[float, float]] = {
    "width": (112, 4096), "height": (84, 4096), "multiple": (1, 256), "tick_size": (5.0, 64.0),
    "name_size": (5.0, 64.0), "title_size": (5.0, 64.0), "line_width": (0.2, 10.0),
    "wavelength_ticks": (0, 20), "flux_ticks": (0, 20), "bluest": (0.0, 1e6),
    "reddest": (100.0, 1e6),
}  # fmt: skip

PUBLISHED = Style(name="published", layout="published")
AS_PUBLISHED = Style(name="as-published", layout="published")
COMPACT = Style(name="compact")
COMPACT_PANELS = Style(name="compact-panels", height=280, panels="flux+normalised")
EYE = Style(
    name="eye", width=252, height=168, tick_size=10.0, line_width=1.0, wavelength_ticks=4,
    flux_ticks=0, grid=False, panels="flux+normalised", brief=True,
    # What the simulator knows, less a margin: elsewhere the eye would have to guess.
    bluest=3310.0, reddest=10690.0,
)  # fmt: skip
STYLES = {style.name: style for style in (PUBLISHED, AS_PUBLISHED, COMPACT, COMPACT_PANELS, EYE)}
