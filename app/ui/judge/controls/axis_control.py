"""Sets what the axes of the plot show: quantity, range and scale of the flux, and wavelengths."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from agent.spectra.lines import Line, builtin_lines
from app.core.spectra.flux_quantity import (
    AS_IN_FILE,
    NORMALISED,
    PER_FREQUENCY,
    PER_WAVELENGTH,
    can_show,
)
from app.core.spectra.flux_unit import read_unit
from app.ui.base.theme.theme import CurrentTheme
from app.ui.session.candidate.view_options import SYMBOLS, USUAL_AXES, flux_words, wavelength_words
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    button,
    check_box,
    column,
    escape_mnemonics,
    flow,
    keep_current,
    row,
    short_label,
    with_key,
    wrapped_label,
)
from app.ui.widgets.painted_button import PaintedButton, quiet_button

HEIGHT = 24


class AxisControl(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._keymap = context.view, context.current, context.keymap
        theme = context.current_theme
        in_file, normalised = self.tr("As in the file"), self.tr("Normalised")
        quantities = {AS_IN_FILE: in_file, **SYMBOLS, NORMALISED: normalised}
        self.flux = AxisChoice(self.tr("Flux"), quantities, theme)
        self.reason = wrapped_label("", "dim")
        self.zero, self.log = check_box(self.tr("Include zero")), check_box(self.tr("Logarithmic"))
        self.unit = AxisChoice(self.tr("Unit of wavelength"), {"Å": "Å", "nm": "nm"}, theme)
        media = {"vacuum": self.tr("Vacuum"), "air": self.tr("Air"), "file": self.tr("File's own")}
        self.medium = AxisChoice(self.tr("Medium of wavelengths"), media, theme)
        self.rest = check_box("")
        self.velocity, self.lines = button("", "choice"), QMenu(self)
        self.velocity.setMenu(self.lines)
        self.usual = button(self.tr("Usual axes"), call=partial(self._view.change, **USUAL_AXES))
        flux = short_label(self.tr("Flux"), "heading")
        boxes = row(self.zero, self.log, 1, spacing=16)
        layout = column(flux, self.flux, self.reason, boxes, spacing=5, parent=self)
        layout.addSpacing(4)
        layout.addWidget(short_label(self.tr("Wavelength"), "heading"))
        layout.addWidget(self.medium)
        layout.addLayout(row(self.unit, self.rest, 1, spacing=16))
        layout.addLayout(row(self.velocity, 1, self.usual))
        self.flux.chosen.connect(partial(self._change, "flux"))
        self.unit.chosen.connect(partial(self._change, "wavelength_unit"))
        self.medium.chosen.connect(partial(self._change, "medium"))
        for box, name in ((self.zero, "flux_zero"), (self.log, "flux_log")):
            box.clicked.connect(partial(self._view.toggle, name))
        self.rest.clicked.connect(partial(self._view.toggle, "rest_axis"))
        self.lines.aboutToShow.connect(self._fill_lines)
        keep_current(self._show_keys, context.keymap.changed)
        keep_current(self._show, context.view.changed, context.current.spectrum_changed)

    @property
    def words(self) -> list[str]:
        """What is not as usual, in short words."""
        options, spectrum = self._view.options, self._current.spectrum
        return [*wavelength_words(options.frame(spectrum)), *flux_words(options, spectrum)]

    def _change(self, name: str, value: str) -> None:
        self._view.change(**{name: value})

    def _fill_lines(self) -> None:
        """Offer the lines of the sets that are drawn."""
        options, chosen = self._view.options, self._view.options.line_sets
        drawn = self._current.session.task.lines if chosen is None else chosen
        self.lines.clear()
        self._add(self.lines, self.tr("No: wavelengths"), None)
        for group in builtin_lines().sets:
            found = [line for line in group.lines if line.kind == "line"]
            if group.name in drawn and found:
                menu = self.lines.addMenu(escape_mnemonics(group.title))
                for line in found:
                    self._add(menu, line.label, line)
        for action in self.lines.actions():
            if action.isCheckable():
                action.setChecked(options.velocity_line is None)

    def _add(self, menu: QMenu, text: str, line: Line | None) -> None:
        action = menu.addAction(escape_mnemonics(text))
        action.setCheckable(True)
        action.setChecked(line == self._view.options.velocity_line)
        action.triggered.connect(partial(self._view.change, velocity_line=line))

    def _show(self, *_: object) -> None:
        options, spectrum = self._view.options, self._current.spectrum
        self.flux.show_choice(options.flux)
        self.unit.show_choice(options.wavelength_unit)
        self.medium.show_choice(options.medium)
        self.zero.setChecked(options.flux_zero)
        self.zero.setEnabled(not options.flux_log)
        self.log.setChecked(options.flux_log)
        self.rest.setChecked(options.rest_axis)
        is_density = spectrum is None or can_show(spectrum, PER_FREQUENCY)
        for quantity in (PER_WAVELENGTH, PER_FREQUENCY):
            self.flux.buttons[quantity].setEnabled(is_density)
        self.reason.setVisible(not is_density)
        self.reason.setText("" if is_density else self._no_density())
        line = options.velocity_line
        for choice in (self.unit, self.medium):
            choice.setEnabled(line is None)
        about = self.tr("Velocity about {line}")
        text = self.tr("Velocity about…") if line is None else about.replace("{line}", line.label)
        self.velocity.setText(escape_mnemonics(text))
        self.velocity.setAccessibleName(text)
        medium = self.tr("The file has vacuum wavelengths, or does not say")
        if spectrum is not None and spectrum.medium_in_file == "air":
            medium = self.tr("The file has air wavelengths")
        self.medium.buttons["file"].setToolTip(medium)
        self.usual.setEnabled(any(getattr(options, name) != v for name, v in USUAL_AXES.items()))

    def _no_density(self) -> str:
        """Why neither f_λ nor f_ν can be shown."""
        spectrum = self._current.spectrum
        unit = "" if spectrum is None else read_unit(spectrum.flux_unit).text
        if not unit:
            return self.tr("f_λ and f_ν: the file gives no unit of flux")
        reason = self.tr("f_λ and f_ν: the file's unit, {unit}, is no flux density")
        return reason.replace("{unit}", unit)

    def _show_keys(self) -> None:
        self.rest.setText(with_key(self.tr("At rest"), self._keymap.label("rest_axis")))


class AxisChoice(QWidget):
    """A few alternatives side by side, of which one holds."""

    chosen = Signal(str)

    def __init__(
        self, name: str, alternatives: Mapping[str, str], current_theme: CurrentTheme
    ) -> None:
        """`alternatives` are the texts by value."""
        super().__init__()
        self.buttons: dict[str, PaintedButton] = {}
        line = flow(spacing=4, parent=self)
        for value, text in alternatives.items():
            button = quiet_button(current_theme, self, height=HEIGHT)
            button.setCheckable(True)
            button.set_label(text)
            button.setAccessibleName(f"{name}: {text}")
            button.clicked.connect(partial(self._choose, value))
            self.buttons[value] = button
            line.addWidget(button)

    def show_choice(self, value: str) -> None:
        for name, each in self.buttons.items():
            each.setChecked(name == value)

    def _choose(self, value: str, *_: object) -> None:
        self.buttons[value].setChecked(True)  # a press on the one that holds leaves it so
        self.chosen.emit(value)
