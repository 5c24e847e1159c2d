"""Applies a theme: palette, style sheet and font of the whole application."""

from __future__ import annotations

import functools
from dataclasses import asdict
from importlib import resources
from itertools import islice
from pathlib import Path
from string import Template

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from app.ui.theme.style_templates import BARS, BUTTONS, FIELDS, SURFACES, TEXTS, VERDICT, VIEWS
from app.ui.theme.theme import Theme, mixed, tint, tones

# Fusion looks the same on every system and takes all its colours from the palette.
STYLE = "Fusion"
_ALL = Template(TEXTS + SURFACES + BUTTONS + FIELDS + VIEWS + BARS)
_VERDICT = Template(VERDICT)
# Used for Chinese if the system font has none; these have a bold face and full-width punctuation.
_HAN = ("Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei UI", "PingFang SC")
LARGE_PT = 14.0


def apply(application: QApplication, theme: Theme, font_pt: int = 0) -> None:
    """Apply a theme; `font_pt` 0 means the system's font size."""
    if application.style().name().casefold() != STYLE.casefold():
        application.setStyle(STYLE)
    font = _font(font_pt)
    application.setFont(font)
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme, font.pointSizeF()))


def style_sheet(theme: Theme, size_pt: float) -> str:
    values = {
        **{name: str(value) for name, value in asdict(theme).items()},
        **asdict(tones(theme)),
        # Long menus go on in further columns, which in large text leave the screen.
        "menus_scroll": str(int(size_pt > LARGE_PT)),
        "notice": tint(theme, theme.warning, 0.12),
        "notice_edge": tint(theme, theme.warning, 0.40),
        "bar_edge": theme.border if theme.bar == theme.panel else theme.bar,
        "bar_hover": mixed(theme.bar, theme.on_bar, 0.07),
        "bar_chosen": mixed(theme.bar, theme.on_bar, 0.14),
        "bar_warning": theme.warning if theme.bar == theme.panel else theme.on_bar,
        "icons": _icons(theme),
        "title_pt": f"{size_pt * 1.06:.1f}",
        "name_pt": f"{size_pt * 1.9:.1f}",
        "heading_pt": f"{size_pt * 1.6:.1f}",
        "page_pt": f"{size_pt * 1.3:.1f}",
        "small_pt": f"{size_pt * 0.9:.1f}",
    }
    verdicts = "".join(_verdict(theme, role) for role in ("accept", "reject", "unsure"))
    return _ALL.substitute(values) + verdicts


def palette(theme: Theme) -> QPalette:
    derived, role = tones(theme), QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: derived.field,
        role.AlternateBase: derived.row,
        role.Text: theme.text,
        role.PlaceholderText: theme.dim,
        role.Button: theme.panel,
        role.ButtonText: theme.text,
        role.BrightText: theme.reject,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: mixed(theme.accent, theme.dim, 0.4),
        role.ToolTipBase: derived.tip,
        role.ToolTipText: derived.on_tip,
        role.Light: mixed(theme.panel, theme.text, 0.02),
        role.Midlight: theme.window,
        role.Mid: theme.border,
        role.Dark: derived.edge,
        role.Shadow: mixed(theme.window, "#000000", 0.5),
    }
    result = QPalette()
    for each, colour in colours.items():
        result.setColor(QPalette.ColorGroup.All, each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText, role.PlaceholderText):
        result.setColor(QPalette.ColorGroup.Disabled, each, QColor(derived.disabled))
    result.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(theme.border))
    return result


def _verdict(theme: Theme, role: str) -> str:
    colour: str = getattr(theme, role)
    return _VERDICT.substitute(
        role=role,
        colour=colour,
        rest=tint(theme, colour, 0.07),
        rest_edge=tint(theme, colour, 0.40),
        hover=tint(theme, colour, 0.14),
        on_verdict=theme.on_verdict,
        disabled=tones(theme).disabled,
        window=theme.window,
        border=theme.border,
    )


def _font(font_pt: int) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if font_pt:
        font.setPointSize(font_pt)
    elif font.pointSizeF() <= 0:
        font.setPointSize(10)
    han = (family for family in _HAN if QFontDatabase.hasFamily(family))
    # A generic name such as "Sans Serif" would give way to the Han font, so use the resolved one.
    font.setFamilies([QFontInfo(font).family(), *islice(han, 1)])
    # Tabular figures, so that digits line up in columns.
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@functools.cache
def _icon_folder() -> Path:
    return Path(str(resources.files("resources"))) / "icons"


def _icons(theme: Theme) -> str:
    return (_icon_folder() / ("dark" if theme.is_dark else "light")).as_posix()
