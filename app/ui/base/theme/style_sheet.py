"""Applies a theme: palette, style sheet and font of the whole application."""

from dataclasses import asdict
from importlib import resources
from itertools import islice
from pathlib import Path
from string import Template

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from app.ui.base.theme.theme import Theme, mixed, tint, tones

TEXTS = """
QLabel[role="title"] { font-weight: 600; font-size: ${title_pt}pt; color: $text; }
QLabel[role="heading"] { font-weight: 600; font-size: ${heading_pt}pt; color: $text; }
QLabel[role="name"] { font-weight: 600; font-size: ${name_pt}pt; color: $text; }
QLabel[role="page"] { font-weight: 600; font-size: ${page_pt}pt; color: $text; }
QLabel[role="dim"] { color: $dim; }
QLabel[role="small"] { color: $dim; font-size: ${small_pt}pt; }
QLabel[role="warning"] { color: $warning; }
QLabel[role="accept"] { color: $accept; font-weight: 600; }
QLabel[role="reject"] { color: $reject; font-weight: 600; }
QLabel[role="unsure"] { color: $unsure; font-weight: 600; }
QLabel[role="key"] { color: $dim; background: $window; border: 1px solid $edge;
    border-bottom: 2px solid $edge; border-radius: 4px; padding: 0px 5px; }
QLabel[role="catcher"] { color: $text; background: $chosen; border: 2px solid $accent;
    border-radius: 6px; padding: 6px 10px; }
QLabel[role="chip"] { color: $dim; background: $hover; border-radius: 9px; padding: 1px 8px; }
QToolTip { color: $on_tip; background: $tip; border: 1px solid $tip; padding: 4px 6px; }
"""

SURFACES = """
QMainWindow, QDialog { background: $window; }
QFrame[role="card"] { background: $panel; border: 1px solid $border; border-radius: 8px; }
QFrame[role="bar"] { background: $bar; border: none; }
QFrame[role="bar"] QLabel { color: $on_bar; }
QFrame[role="bar"] QLabel[role="warning"] { color: $bar_warning; }
QFrame[role="line"] { background: $border; border: none; max-height: 1px; min-height: 1px; }
QFrame[role="notice"] { background: $notice; border: 1px solid $notice_edge; border-radius: 6px; }
QScrollArea { border: none; background: transparent; }
QScrollArea > QWidget > QWidget { background: transparent; }
QGroupBox { background: $panel; border: 1px solid $border; border-radius: 8px;
    margin-top: 10px; padding: 12px 8px 8px 8px; }
QGroupBox::title { subcontrol-origin: margin; subcontrol-position: top left; left: 10px;
    padding: 0px 4px; color: $dim; font-weight: 600; }
QSplitter::handle { background: $window; }
QSplitter::handle:hover { background: $border; }
QSplitter::handle:horizontal { width: 6px; }
QSplitter::handle:vertical { height: 6px; }
QStatusBar { background: $window; color: $dim; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QMainWindow::separator { background: $window; width: 4px; height: 4px; }
QMainWindow::separator:hover { background: $border; }
QFrame[role="strip"] { background: $window; border: none; border-top: 1px solid $border; }
QDockWidget { color: $dim; titlebar-close-icon: url("$icons/close.svg"); }
QDockWidget::title { background: $window; padding: 6px 8px; }
"""

BUTTONS = """
QPushButton, QToolButton { color: $text; background: $panel; border: 1px solid $edge;
    border-radius: 6px; padding: 5px 12px; }
QToolButton { padding: 4px 6px; }
QDialogButtonBox, QMessageBox { dialogbuttonbox-buttons-have-icons: 0; }
QToolButton[role="mark"] { padding: 0; }
QPushButton:hover, QToolButton:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed { background: $pressed; }
QPushButton:checked, QToolButton:checked { background: $chosen; border-color: $accent; }
QPushButton:focus, QToolButton:focus { border: 2px solid $accent; padding: 4px 11px; }
QToolButton:focus { padding: 3px 5px; }
QPushButton:disabled, QToolButton:disabled { color: $disabled; background: $window;
    border-color: $border; }
QPushButton::menu-indicator, QToolButton::menu-indicator { image: url("$icons/down.svg");
    width: 12px; height: 12px; subcontrol-origin: padding; subcontrol-position: right center;
    right: 4px; }
QToolButton[popupMode="1"], QToolButton[popupMode="2"] { padding-right: 20px; }
QToolButton::menu-button { border: none; width: 18px; }
QToolButton::menu-arrow { image: url("$icons/down.svg"); width: 12px; height: 12px; }
QPushButton[role="primary"] { color: $on_accent; background: $accent; border-color: $accent;
    font-weight: 600; }
QPushButton[role="primary"]:hover, QPushButton[role="primary"]:pressed {
    background: $primary_hover; border-color: $primary_hover; }
QPushButton[role="primary"]:focus { border-color: $text; }
QPushButton[role="primary"]:disabled { color: $disabled; background: $hover;
    border-color: $border; }
QPushButton[role="quiet"], QToolButton { background: transparent; border-color: transparent; }
QPushButton[role="quiet"] { color: $accent; padding: 5px 8px; }
QPushButton[role="quiet"]:hover, QToolButton:hover { background: $hover; }
QPushButton[role="quiet"]:pressed, QToolButton:pressed { background: $pressed; }
QPushButton[role="quiet"]:checked, QToolButton:checked { background: $chosen; }
QPushButton[role="quiet"]:focus { border: 2px solid $accent; padding: 4px 7px; }
QPushButton[role="quiet"]:disabled, QToolButton:disabled { color: $disabled;
    background: transparent; border-color: transparent; }
QPushButton[role="page"], QFrame[role="bar"] QPushButton[role="quiet"] { color: $on_bar;
    background: transparent; border: 1px solid transparent; padding: 5px 8px; }
QPushButton[role="page"]:hover, QFrame[role="bar"] QPushButton[role="quiet"]:hover {
    background: $bar_hover; }
QPushButton[role="page"]:checked { background: $bar_chosen; }
QPushButton[role="class"] { padding: 0px 20px 0px 6px; border-radius: 5px; font-weight: 600; }
QPushButton[role="key"] { padding: 3px 8px; border-radius: 5px; text-align: left; }
QPushButton[role="key"]:focus { padding: 2px 7px; }
"""

VERDICT = """
QPushButton[role="$role"] { color: $colour; background: $rest; border: 1px solid $rest_edge;
    border-radius: 7px; padding: 6px 16px; font-weight: 600; }
QPushButton[role="$role"]:hover { background: $hover; border-color: $colour; }
QPushButton[role="$role"]:focus { border: 2px solid $colour; padding: 5px 15px; }
QPushButton[role="$role"]:pressed, QPushButton[role="$role"]:checked { color: $on_verdict;
    background: $colour; border-color: $colour; }
QPushButton[role="$role"]:disabled { color: $disabled; background: $window;
    border-color: $border; }
"""

FIELDS = """
QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox, QKeySequenceEdit {
    color: $text; background: $field; border: 1px solid $outline; border-radius: 6px;
    selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit, QAbstractSpinBox { padding: 4px 7px; }
QComboBox { padding: 4px 24px 4px 8px; combobox-popup: 0; }
QTextEdit, QPlainTextEdit { padding: 3px 4px; }
QLineEdit:hover, QAbstractSpinBox:hover, QComboBox:hover, QTextEdit:hover, QPlainTextEdit:hover {
    border-color: $dim; }
QLineEdit:focus, QAbstractSpinBox:focus { border: 2px solid $accent; padding: 3px 6px; }
QComboBox:focus, QComboBox:on { border: 2px solid $accent; padding: 3px 23px 3px 7px; }
QTextEdit:focus, QPlainTextEdit:focus { border: 2px solid $accent; padding: 2px 3px; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled, QTextEdit:disabled,
QPlainTextEdit:disabled { color: $disabled; background: $window; border-color: $border; }
QLineEdit[readOnly="true"], QTextEdit[readOnly="true"], QPlainTextEdit[readOnly="true"] {
    background: transparent; border-color: $border; }
QLineEdit[role="faulty"] { border: 2px solid $reject; padding: 3px 6px; }
QComboBox QLineEdit, QAbstractSpinBox QLineEdit, QComboBox QLineEdit:focus,
QAbstractSpinBox QLineEdit:focus { border: none; padding: 0px; background: transparent; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url("$icons/down.svg"); width: 14px; height: 14px; }
QComboBox QAbstractItemView { color: $text; background: $panel; border: 1px solid $edge;
    padding: 4px; outline: none; selection-background-color: $chosen; selection-color: $text; }
QAbstractSpinBox { qproperty-alignment: "AlignRight | AlignVCenter"; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; width: 18px;
    background: transparent; }
QAbstractSpinBox::up-button { subcontrol-position: top right; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
QAbstractSpinBox::up-arrow { image: url("$icons/up.svg"); width: 11px; height: 11px; }
QAbstractSpinBox::down-arrow { image: url("$icons/down.svg"); width: 11px; height: 11px; }
QCheckBox, QRadioButton { color: $text; background: transparent; spacing: 7px; padding: 2px; }
QCheckBox:disabled, QRadioButton:disabled { color: $disabled; }
QCheckBox::indicator, QRadioButton::indicator, QAbstractItemView::indicator {
    width: 14px; height: 14px; background: $field; border: 1px solid $outline;
    border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: $accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 2px solid $accent;
    width: 12px; height: 12px; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: $accent;
    border-color: $accent; image: url("$icons/check.svg"); }
QCheckBox::indicator:indeterminate { background: $accent; border-color: $accent;
    image: url("$icons/dash.svg"); }
QRadioButton::indicator:checked { background: $accent; border-color: $accent;
    image: url("$icons/dot.svg"); }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { background: $window;
    border-color: $border; }
QSlider { background: transparent; min-height: 20px; }
QSlider::groove:horizontal { height: 4px; background: $border; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $panel; border: 2px solid $accent; width: 12px;
    height: 12px; margin: -6px 0px; border-radius: 8px; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: $accent; }
QSlider::handle:horizontal:disabled { border-color: $border; }
QSlider::sub-page:horizontal:disabled { background: $border; }
QProgressBar { background: $border; border: none; border-radius: 3px; max-height: 6px;
    min-height: 6px; text-align: center; color: transparent; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
"""

VIEWS = """
QTableView, QTreeView, QListView { color: $text; background: $panel; border: 1px solid $border;
    alternate-background-color: $row; gridline-color: $grid; outline: none;
    selection-background-color: $chosen; selection-color: $text; }
QTableView:focus, QTreeView:focus, QListView:focus { border: 1px solid $accent; }
QTableView[role="plain"], QTreeView[role="plain"], QListView[role="plain"] { border: none; }
QTableView[role="plain"], QTableView[role="plain"] QHeaderView { font-size: ${small_pt}pt; }
QTableView::item { padding: 2px 2px; border: none; }
QTreeView::item, QListView::item { padding: 4px 6px; border: none; }
QTreeView::item:hover, QListView::item:hover { background: $hover; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected {
    background: $chosen; color: $text; }
QListView[role="card"] { border-radius: 8px; padding: 4px; }
QListView[role="pages"] { background: transparent; border: none; }
QListView[role="pages"]::item { padding: 8px 10px; border-radius: 6px; }
QTreeView::branch { background: transparent; }
QTreeView::branch:has-children:closed { image: url("$icons/right.svg"); }
QTreeView::branch:has-children:open { image: url("$icons/down.svg"); }
QHeaderView { background: $panel; border: none; }
QHeaderView::section { color: $dim; background: $panel; border: none;
    border-bottom: 1px solid $border; padding: 5px 5px; font-weight: 600; }
QHeaderView::section:vertical { border-bottom: none; border-right: 1px solid $border; }
QHeaderView::section:hover { color: $text; }
QHeaderView::up-arrow { image: url("$icons/up.svg"); width: 12px; height: 12px; }
QHeaderView::down-arrow { image: url("$icons/down.svg"); width: 12px; height: 12px; }
QTableCornerButton::section { background: $panel; border: none;
    border-bottom: 1px solid $border; }
QScrollBar { background: transparent; border: none; margin: 0px; }
QScrollBar:vertical { width: 11px; }
QScrollBar:horizontal { height: 11px; }
QScrollBar::handle { background: $handle; border-radius: 3px; margin: 2px 3px; }
QScrollBar::handle:horizontal { margin: 3px 2px; min-width: 28px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:hover { background: $dim; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
"""

BARS = """
QMenuBar { color: $on_bar; background: $bar; border-bottom: 1px solid $bar_edge; padding: 2px; }
QMenuBar::item { background: transparent; padding: 7px 8px; border-radius: 5px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $bar_hover; }
QMenu { color: $text; background: $panel; border: 1px solid $edge; padding: 4px;
    menu-scrollable: $menus_scroll; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $chosen; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::indicator { width: 14px; height: 14px; left: 4px; }
QMenu::indicator:checked { background: $accent; border-radius: 4px;
    image: url("$icons/check.svg"); }
QMenu::right-arrow { image: url("$icons/right.svg"); width: 12px; height: 12px; }
QToolBar { background: $window; border: none; spacing: 4px; padding: 4px; }
QTabWidget::pane { background: $panel; border: 1px solid $border; border-radius: 8px; top: -1px; }
QTabBar { background: transparent; }
QTabBar::tab { color: $dim; background: transparent; border: none;
    border-bottom: 2px solid transparent; padding: 6px 8px; margin-right: 2px; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent; }
QTabBar::tab:disabled { color: $disabled; }
"""

# Fusion looks the same on every system and takes all its colours from the palette.
STYLE = "Fusion"
_ALL = Template(TEXTS + SURFACES + BUTTONS + FIELDS + VIEWS + BARS)
_VERDICT = Template(VERDICT)
# Used for Chinese if the system font has none; these have a bold face and full-width punctuation.
_HAN = ("Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei UI", "PingFang SC")
LARGE_PT = 14.0
SIZES = {"title": 1.06, "name": 1.9, "heading": 1.6, "page": 1.3, "small": 0.9}
"""Of texts by their role, relative to the font."""


def apply(application: QApplication, theme: Theme, font_pt: int = 0) -> None:
    """Apply a theme; `font_pt` 0 means the system's font size."""
    if application.style().name().casefold() != STYLE.casefold():
        application.setStyle(STYLE)
    font = _font(font_pt)
    application.setFont(font)
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme, font.pointSizeF()))


def style_sheet(theme: Theme, size_pt: float) -> str:
    icons = Path(str(resources.files("resources"))) / "icons"
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
        "icons": (icons / ("dark" if theme.is_dark else "light")).as_posix(),
        **{f"{role}_pt": f"{size_pt * times:.1f}" for role, times in SIZES.items()},
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
