"""How a spectrum is shown to a model: as the published one knows it, or as a small one reads it."""

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
    """A look by name. `published` is fixed to the pixel; the rest says what `compact` draws.

    Sizes are pixels; the picture is exactly `width` x `height`, both multiples of `multiple`,
    so that no back-end resamples it.
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
    """At most so many steps between labels on the wavelength axis; 0 for no labels."""
    flux_ticks: int = 3
    grid: bool = True
    names: bool = False
    """Write `Wavelength (Å)` and `Flux` beside the axes."""
    title: bool = False
    box: bool = False
    panels: str = "flux"
    """`flux+normalised` shows the window again below, divided by a pseudo-continuum."""
    mean_line: bool = True
    """Where pixels crowd: their mean per column in black over the pixels themselves in grey."""
    brief: bool = False
    """The question alone with the picture, without guideline and rules: for who knows them."""
    numbers: bool = False
    """The tool's answer says what is measured in the window, beside its picture."""

    def __post_init__(self) -> None:
        for item in fields(self):
            self._check(item.name, getattr(self, item.name))
        if self.layout not in LAYOUTS:
            raise self._error(f"layout must be one of {', '.join(LAYOUTS)}")
        if self.panels not in PANELS:
            raise self._error(f"panels must be one of {', '.join(PANELS)}")
        if self.width % self.multiple or self.height % self.multiple:
            raise self._error(f"width and height must be multiples of {self.multiple}")

    def _check(self, key: str, value: object) -> None:
        kind = type(_DEFAULTS.get(key, ""))
        if kind is float and type(value) is int:
            value = float(value)
            object.__setattr__(self, key, value)
        if type(value) is not kind:
            raise self._error(f"{key} must be a {kind.__name__}")
        low, high = _LIMITS.get(key, (-math.inf, math.inf))
        if isinstance(value, int | float) and not low <= value <= high:
            raise self._error(f"{key} must lie between {low} and {high}")

    def _error(self, why: str) -> ResourceError:
        return ResourceError(f"picture style {str(self.name)[:60]!r}: {why}")

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Style:
        """From a table of a model's card; unknown keys are refused, so that typing errors show.

        `{"name": "published"}` and `{"name": "compact"}` alone mean the built-in ones.
        """
        known = {item.name for item in fields(cls)}
        name = table.get("name")
        if not isinstance(name, str) or not name:
            raise ResourceError("a picture style needs a name")
        if unknown := sorted(str(key)[:60] for key in set(table) - known):
            raise ResourceError(f"picture style {name[:60]!r} knows no {', '.join(unknown[:5])}")
        options = dict(table)
        options.setdefault("layout", "published" if name == "published" else "compact")
        if options["layout"] == "published" and set(options) - {"name", "layout"}:
            raise ResourceError(
                f"picture style {name[:60]!r}: the published layout is fixed and takes no options"
            )
        return cls(**options)

    def to_table(self) -> dict[str, Any]:
        """What `from_table` makes this style of again."""
        if self.layout == "published":
            return {"name": self.name, "layout": self.layout}
        return {item.name: getattr(self, item.name) for item in fields(self)}


_DEFAULTS: dict[str, object] = {item.name: item.default for item in fields(Style)}
_DEFAULTS["name"] = ""
_LIMITS: dict[str, tuple[float, float]] = {
    "width": (112, 4096),
    "height": (84, 4096),
    "multiple": (1, 256),
    "tick_size": (5.0, 64.0),
    "name_size": (5.0, 64.0),
    "title_size": (5.0, 64.0),
    "line_width": (0.2, 10.0),
    "wavelength_ticks": (0, 20),
    "flux_ticks": (0, 20),
}

PUBLISHED = Style(name="published", layout="published")
COMPACT = Style(name="compact")
COMPACT_PANELS = Style(name="compact-panels", height=280, panels="flux+normalised")
NANO = Style(
    name="nano",
    width=252,
    height=168,
    tick_size=10.0,
    line_width=1.0,
    wavelength_ticks=4,
    flux_ticks=0,
    grid=False,
    panels="flux+normalised",
    brief=True,
    numbers=True,
)
STYLES = {style.name: style for style in (PUBLISHED, COMPACT, COMPACT_PANELS, NANO)}
