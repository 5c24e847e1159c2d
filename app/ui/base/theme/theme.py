"""Colour themes, with colours named by meaning, and arithmetic on colours written #rrggbb.

Themes are safe for colour blindness: colours that must be told apart differ in lightness, and no
information is given by colour alone.
"""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True, kw_only=True)
class Theme:
    """Colours as #rrggbb, or #aarrggbb if translucent."""

    name: str
    is_dark: bool
    window: str  # background of windows
    panel: str  # cards and side panels
    border: str
    text: str
    dim: str  # Secondary text; its contrast on `panel` is still 4.5:1.
    accent: str  # selection, focus and links
    on_accent: str
    accept: str
    reject: str
    unsure: str
    on_verdict: str  # text on the three verdict colours
    warning: str
    plot: str  # background of the plot
    axis: str
    grid: str
    flux: str
    flux_raw: str  # the unsmoothed spectrum below a smoothed one
    error_band: str
    bad_pixels: str
    sky: str
    line: str  # Markers of spectral lines, shifted to the star's velocity
    band: str  # Markers and shading of molecular bands
    line_text: str
    template: str
    overlay_1: str  # the spectra compared with the one on screen
    overlay_2: str
    overlay_3: str
    overlay_4: str
    overlay_5: str
    overlay_6: str
    agent: str  # the windows the agent inspects
    on_agent: str  # text on `agent`
    window_region: str  # the visible range, in the minimap
    bar: str  # background of the menu bar and of the top bar
    on_bar: str


_COLOURS = {
    "window": ("#f3f4f6", "#16191e", "#eef1f5"),
    "panel": ("#ffffff", "#1f242b", "#ffffff"),
    "border": ("#d4d8de", "#363d47", "#c9d1db"),
    "text": ("#1c2128", "#e6e9ed", "#1b2733"),
    "dim": ("#59636e", "#a2abb6", "#556270"),
    "accent": ("#1f5fbf", "#6ea8fe", "#16528e"),
    "on_accent": ("#ffffff", "#0d1520", "#ffffff"),
    "accept": ("#006a6c", "#4fd1c0", "#006a6c"),
    "reject": ("#a01830", "#fc7f6f", "#a01830"),
    "unsure": ("#7f6200", "#f0d060", "#7f6200"),
    "on_verdict": ("#ffffff", "#10151b", "#ffffff"),
    "warning": ("#9a5b00", "#f0b429", "#9a5b00"),
    "plot": ("#ffffff", "#1f242b", "#ffffff"),
    "axis": ("#404852", "#b9c1cb", "#333333"),
    "grid": ("#e6e9ed", "#333a44", "#ececec"),
    "flux": ("#16202c", "#e9edf2", "#2b2b2b"),
    "flux_raw": ("#8a95a1", "#6b7581", "#949494"),
    "error_band": ("#40607d9c", "#4088a0b8", "#30808080"),
    "bad_pixels": ("#50b0413e", "#60e07a6a", "#50b0413e"),
    "sky": ("#309b8448", "#30d0b070", "#28808080"),
    "line": ("#2f6db5", "#7fb2f5", "#b0322a"),
    "band": ("#8b4fa8", "#c79be0", "#6a4a9c"),
    "line_text": ("#2a4f7d", "#a8c8f0", "#7a2a24"),
    "template": ("#c8553d", "#ff9a7a", "#1f77b4"),
    "overlay_1": ("#0072b2", "#56b4e9", "#b5482f"),
    "overlay_2": ("#00795a", "#2fd6a3", "#00795a"),
    "overlay_3": ("#8e44ad", "#c79be0", "#8e44ad"),
    "overlay_4": ("#8a6500", "#f0c24b", "#8a6500"),
    "overlay_5": ("#b0306a", "#ff8fc0", "#b0306a"),
    "overlay_6": ("#5b6b00", "#b5d33d", "#5b6b00"),
    "agent": ("#c87600", "#ffb84d", "#c87600"),
    "on_agent": ("#10151b", "#10151b", "#10151b"),
    "window_region": ("#401f5fbf", "#406ea8fe", "#3016528e"),
    "bar": ("#ffffff", "#1f242b", "#1b3a5c"),
    "on_bar": ("#1c2128", "#e6e9ed", "#eef3f9"),
}
"""Of the light, the dark and the LAMOST theme."""


def _theme(name: str, column: int, *, is_dark: bool = False) -> Theme:
    return Theme(
        name=name, is_dark=is_dark, **{key: each[column] for key, each in _COLOURS.items()}
    )


LIGHT, DARK, LAMOST = _theme("light", 0), _theme("dark", 1, is_dark=True), _theme("lamost", 2)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, LAMOST)}


class CurrentTheme(QObject):
    """The theme in use; widgets that paint themselves connect to `changed`."""

    changed = Signal(object)  # a `Theme`

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__()
        self.theme = theme

    def use(self, theme: Theme) -> None:
        if theme != self.theme:
            self.theme = theme
            self.changed.emit(theme)


@dataclass(frozen=True, kw_only=True)
class Tones:
    """Colours of widget states, derived from a theme."""

    hover: str  # a button under the mouse pointer
    pressed: str
    field: str  # background of text fields
    edge: str  # border of fields and buttons, stronger than `Theme.border`
    outline: str  # border of check boxes and radio buttons, which only their outline makes visible
    row: str  # every second row
    chosen: str  # background of selected rows, below `Theme.text`
    disabled: str  # text of disabled widgets
    handle: str  # handle of scroll bars
    primary_hover: str
    tip: str
    on_tip: str


def tones(theme: Theme) -> Tones:
    panel, text = theme.panel, theme.text
    return Tones(
        hover=mixed(panel, text, 0.07),
        pressed=mixed(panel, text, 0.13),
        field=mixed(panel, theme.window, 0.45) if theme.is_dark else panel,
        edge=mixed(theme.border, text, 0.16),
        outline=mixed(theme.border, text, 0.30 if theme.is_dark else 0.42),
        row=mixed(panel, text, 0.025),
        chosen=mixed(panel, theme.accent, 0.17 if theme.is_dark else 0.15),
        disabled=mixed(theme.dim, panel, 0.26),
        handle=mixed(panel, text, 0.40 if theme.is_dark else 0.50),
        primary_hover=mixed(theme.accent, text, 0.14),
        tip=mixed(panel, text, 0.10) if theme.is_dark else mixed(text, panel, 0.06),
        on_tip=text if theme.is_dark else panel,
    )


def tint(theme: Theme, colour: str, share: float) -> str:
    """A surface tinted with a colour, such as an unpressed verdict button."""
    return mixed(theme.panel, colour, share)


def mixed(colour: str, other: str, share: float) -> str:
    """`colour` mixed with `share` of `other`, from 0 to 1."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def contrast(colour: str, other: str) -> float:
    """Contrast ratio from 1 to 21, as defined by WCAG 2."""
    light, dark = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
