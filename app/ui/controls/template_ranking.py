"""Lists the templates by how well they fit the spectrum; a click takes one with its velocity."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from agent.errors import WorkbenchError
from agent.spectra.matching.template_ranking import Match, RankedTemplate, rank_templates
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FASTEST_STAR_Z, Spectrum
from app.ui.controls.template_library import Template, TemplateLibrary
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import (
    button,
    column,
    escape_mnemonics,
    one_line,
    row,
    short_label,
    wrapped_label,
)

MOST_SHOWN = 8
MAX_NAME = 34
NUMBERS_PX = 48, 84
FARTHEST = {"GALAXY": 0.8, "QSO": 5.0}
"""Largest redshift tried, by class; all others are stars."""


class TemplateRanking(QWidget):
    def __init__(self, context: SessionContext, library: TemplateLibrary) -> None:
        super().__init__()
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._library = library
        self._running: Spectrum | None = None
        self.matches: Sequence[Match] = ()
        self.start = button(self.tr("Order by how well they fit"))
        self.note = wrapped_label("", "dim")
        self.names: list[QPushButton] = []
        self._lines: list[QWidget] = []
        self._inside = column(self.start, self.note, spacing=2, parent=self)
        self.start.clicked.connect(self.run)
        context.commands.add("rank_templates", self.run)
        context.current.spectrum_changed.connect(self._forget)
        context.view.changed.connect(self._mark)
        self._show([], "")

    def run(self) -> None:
        spectrum = self._current.spectrum
        if spectrum is None:
            self._current.message.emit(self.tr("There is no spectrum to fit"))
        elif spectrum is not self._running:
            self._running = spectrum
            self._show([], self.tr("Fitting all templates…"))
            work = partial(_rank, self._library, self._library.templates, spectrum)
            done, failed = partial(self._ranked, spectrum), partial(self._failed, spectrum)
            self._runner.run(work, done, failed, owner=self)

    def _ranked(self, spectrum: Spectrum, matches: list[Match]) -> None:
        if self._running is spectrum:
            self._running = None
        if spectrum is not self._current.spectrum:
            return
        note = self.tr("χ² per pixel and velocity; smaller is better")
        if not matches:
            note = self.tr("No template covers enough of this spectrum")
        else:
            best = self.tr("Best template: {name}").replace("{name}", self._short(matches[0]))
            self._current.message.emit(best)
        self._show(matches, note)

    def _failed(self, spectrum: Spectrum, error: WorkbenchError) -> None:
        if self._running is spectrum:
            self._running = None
            self._show([], "")
        self._current.report_error(error)

    def _forget(self, _: object) -> None:
        self._running = None
        if self.matches or self.note.text():
            self._show([], "")

    def _show(self, matches: Sequence[Match], note: str) -> None:
        self.matches = matches[:MOST_SHOWN]
        self.names.clear()
        while self._lines:
            old = self._lines.pop()
            self._inside.removeWidget(old)
            old.hide()
            old.deleteLater()
        for match in self.matches:
            line = self._line(match)
            self._lines.append(line)
            self._inside.addWidget(line)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._mark()

    def _line(self, match: Match) -> QWidget:
        name = button(escape_mnemonics(self._short(match)), "key")
        name.setCheckable(True)
        name.setToolTip(self.tr("Show this template at its velocity"))
        name.clicked.connect(partial(self._take, match))
        self.names.append(name)
        numbers = short_label(f"{match.chi2:.2f}"), short_label(speed_text(match))
        for label, px in zip(numbers, NUMBERS_PX, strict=True):
            label.setProperty("role", "number")
            label.setMinimumWidth(px)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line = QWidget()
        line.setLayout(row((name, 1), *numbers, spacing=4))
        return line

    def _short(self, match: Match) -> str:
        template = self._library.find(match.name)
        return one_line(match.name if template is None else template.short, MAX_NAME)

    def _take(self, match: Match, *_: object) -> None:
        if match.is_trusted:
            self._view.change(template=match.name, z=match.velocity_kms / LIGHT_KMS)
        else:
            self._view.change(template=match.name)
        self._mark()  # a click on the chosen one unchecks it

    def _mark(self, *_: object) -> None:
        for name, match in zip(self.names, self.matches, strict=True):
            name.setChecked(match.name == self._view.options.template)


def speed_text(match: Match) -> str:
    """The velocity, or the redshift if it is no star's; a dash where none stands out."""
    if not match.is_trusted:
        return "–"
    if abs(match.z) > FASTEST_STAR_Z:
        return f"z {match.z:.4f}"
    return f"{match.velocity_kms:+.0f} km/s".replace("-", "\N{MINUS SIGN}")


def _rank(
    library: TemplateLibrary, templates: Sequence[Template], spectrum: Spectrum
) -> list[Match]:
    offered = []
    for each in templates:
        try:
            wavelength, flux = library.load(each.name)
        except WorkbenchError:
            if not each.is_own:
                raise
            continue  # a file of the user's that is gone does not stop the others
        offered.append(RankedTemplate(each.name, wavelength, flux, FARTHEST.get(each.label, 0.0)))
    return rank_templates(spectrum, offered)
