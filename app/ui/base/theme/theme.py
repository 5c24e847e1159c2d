"""Colour themes, with colours named by meaning, and arithmetic on colours written #rrggbb.

Themes are safe for colour blindness: colours that must be told apart differ in lightness, and no
information is given by colour alone.
"""

from dataclasses import dataclass, field, fields

from PySide6.QtCore import QObject, Signal


def _of(light: str, dark: str, lamost: str) -> dict[str, str]:
    return {"light": light, "dark": dark, "lamost": lamost}


@dataclass(frozen=True, kw_only=True)
class Theme:
    """Colours as #rrggbb, or #aarrggbb if translucent; beside each, that of the three themes."""

    name: str
    is_dark: bool
    window: str = field(metadata=_of("#f3f4f6", "#16191e", "#eef1f5"))  # background of windows
    panel: str = field(metadata=_of("#ffffff", "#1f242b", "#ffffff"))  # cards and side panels
    border: str = field(metadata=_of("#d4d8de", "#363d47", "#c9d1db"))
    text: str = field(metadata=_of("#1c2128", "#e6e9ed", "#1b2733"))
    # Secondary text; its contrast on `panel` is still 4.5:1.
    dim: str = field(metadata=_of("#59636e", "#a2abb6", "#556270"))
    accent: str = field(metadata=_of("#1f5fbf", "#6ea8fe", "#16528e"))  # selection, focus and links
    on_accent: str = field(metadata=_of("#ffffff", "#0d1520", "#ffffff"))
    accept: str = field(metadata=_of("#006a6c", "#4fd1c0", "#006a6c"))
    reject: str = field(metadata=_of("#a01830", "#fc7f6f", "#a01830"))
    unsure: str = field(metadata=_of("#7f6200", "#f0d060", "#7f6200"))
    # text on the three verdict colours
    on_verdict: str = field(metadata=_of("#ffffff", "#10151b", "#ffffff"))
    warning: str = field(metadata=_of("#9a5b00", "#f0b429", "#9a5b00"))
    plot: str = field(metadata=_of("#ffffff", "#1f242b", "#ffffff"))  # background of the plot
    axis: str = field(metadata=_of("#404852", "#b9c1cb", "#333333"))
    grid: str = field(metadata=_of("#e6e9ed", "#333a44", "#ececec"))
    flux: str = field(metadata=_of("#16202c", "#e9edf2", "#2b2b2b"))
    # the unsmoothed spectrum below a smoothed one
    flux_raw: str = field(metadata=_of("#8a95a1", "#6b7581", "#949494"))
    error_band: str = field(metadata=_of("#40607d9c", "#4088a0b8", "#30808080"))
    bad_pixels: str = field(metadata=_of("#50b0413e", "#60e07a6a", "#50b0413e"))
    sky: str = field(metadata=_of("#309b8448", "#30d0b070", "#28808080"))
    # Markers of spectral lines, shifted to the star's velocity
    line: str = field(metadata=_of("#2f6db5", "#7fb2f5", "#b0322a"))
    # Markers and shading of molecular bands
    band: str = field(metadata=_of("#8b4fa8", "#c79be0", "#6a4a9c"))
    line_text: str = field(metadata=_of("#2a4f7d", "#a8c8f0", "#7a2a24"))
    template: str = field(metadata=_of("#c8553d", "#ff9a7a", "#1f77b4"))
    # the spectra compared with the one on screen
    overlay_1: str = field(metadata=_of("#0072b2", "#56b4e9", "#b5482f"))
    overlay_2: str = field(metadata=_of("#00795a", "#2fd6a3", "#00795a"))
    overlay_3: str = field(metadata=_of("#8e44ad", "#c79be0", "#8e44ad"))
    overlay_4: str = field(metadata=_of("#8a6500", "#f0c24b", "#8a6500"))
    overlay_5: str = field(metadata=_of("#b0306a", "#ff8fc0", "#b0306a"))
    overlay_6: str = field(metadata=_of("#5b6b00", "#b5d33d", "#5b6b00"))
    # the windows the agent inspects
    agent: str = field(metadata=_of("#c87600", "#ffb84d", "#c87600"))
    on_agent: str = field(metadata=_of("#10151b", "#10151b", "#10151b"))  # text on `agent`
    # the visible range, in the minimap
    window_region: str = field(metadata=_of("#401f5fbf", "#406ea8fe", "#3016528e"))
    # background of the menu bar and of the top bar
    bar: str = field(metadata=_of("#ffffff", "#1f242b", "#1b3a5c"))
    on_bar: str = field(metadata=_of("#1c2128", "#e6e9ed", "#eef3f9"))


THEMES = {
    name: Theme(
        name=name,
        is_dark=name == "dark",
        **{each.name: each.metadata[name] for each in fields(Theme) if each.metadata},
    )
    for name in ("light", "dark", "lamost")
}
LIGHT, DARK, LAMOST = THEMES.values()


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
