"""The centre of the window: the header, the spectrum plot, and the overview below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from agent.spectra.lines import LineLists, builtin_lines, load_line_lists
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from app.core.queue import QueueRow
from app.ui.plot.agent_follower import AgentFollower
from app.ui.plot.brackets import task_brackets
from app.ui.plot.class_button import ClassButton
from app.ui.plot.empty_message import EmptyPlotMessage
from app.ui.plot.header import Header
from app.ui.plot.marks import MEASURED, marks, task_ranks
from app.ui.plot.overview import Overview
from app.ui.plot.plot_view import PlotView
from app.ui.plot.ranges import overlaps, within
from app.ui.plot.readout import NAMED_KINDS, NEAR_KMS, flux_title, lines_nearby, readout_text
from app.ui.plot.template_overlay import TemplateOverlay, TemplateSource
from app.ui.plot.trace import Trace, trace
from app.ui.session_context import SessionContext
from app.ui.settings.settings import Settings
from app.ui.theme.theme import Theme
from app.ui.widgets.flow_layout import FlowLayout


def user_line_lists(paths: Sequence[str]) -> LineLists:
    """Built-in and user line lists; raises a WorkbenchError for a list that cannot be used."""
    return load_line_lists([Path(path) for path in paths])


DEFAULT_WINDOW: Window = (3700.0, 9100.0)
"""Range of an empty plot."""
MAX_SYNC_PIXELS = 100_000
"""Longer spectra are smoothed outside the GUI thread."""


class SpectrumPanel(QFrame):
    """Shows the current candidate's spectrum, and reports when it was really painted.

    A candidate cannot be judged before that.
    """

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current, self._view = context.current, context.view
        self._runner, self._settings = context.runner, context.settings
        self._keymap = context.keymap
        self._own_lists: tuple[str, ...] = ()
        self._task = context.bridge.session.task
        self._lists: LineLists = builtin_lines()
        self._ranks = task_ranks(self._task, self._lists)
        self._spectrum: Spectrum | None = None
        self._keep_flux = False
        self._is_peeking = False
        self._identified: float | None = None
        self._mouse_at: QPointF | None = None
        self.header = Header()
        self.header.set_class(ClassButton(context))
        self.plot = PlotView(context.current_theme.theme)
        self.overview = Overview(context.current_theme.theme)
        self.empty_message = EmptyPlotMessage(context.current_theme.theme, self.plot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(2)
        self.top_row = FlowLayout()
        """The title; tools may follow it."""
        self.top_row.addWidget(self.header)
        layout.addLayout(self.top_row)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.overview)
        self.plot.setAccessibleName(self.tr("Spectrum"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.plot)
        self.template = TemplateOverlay(context, self.plot, self)
        self.follower = AgentFollower(context, self.plot, self.overview, self)
        self._connect(context)
        self._apply_settings(self._settings.settings)
        self._show_all()

    # Public

    @property
    def whole(self) -> Window:
        return DEFAULT_WINDOW if self._spectrum is None else self._spectrum.range

    @property
    def window_now(self) -> Window:
        """The window on screen, observed frame."""
        scale = self.plot.stage.scale_now
        return scale.lo, scale.hi

    @property
    def spectrum(self) -> Spectrum | None:
        return self._spectrum

    @property
    def under_mouse(self) -> float | None:
        """Wavelength under the mouse; None while it is not on the plot."""
        at = None if self._spectrum is None else self._mouse_at
        return None if at is None else self.plot.stage.scale_now.wavelength(at.x())

    @property
    def caption(self) -> str:
        """Heading of a saved picture."""
        return "   ".join([*self.header.texts, " · ".join(self._drawn_as())]).strip()

    def name_of_line(self, wavelength: float) -> str:
        """The known line nearest to an observed wavelength, else the wavelength itself."""
        rest = wavelength / (1.0 + self._view.options.z)
        near = self._lists.nearest(rest, rest * NEAR_KMS / LIGHT_KMS, NAMED_KINDS)
        return near[0].label if near else f"{wavelength:.0f}"

    def marked_in(self, window: Window) -> FloatArray:
        """Observed wavelengths of the task's lines in a window."""
        own = (mark.wavelength for mark in self.plot.marks.marks if mark.rank < MEASURED)
        inside = [each for each in own if window[0] <= each <= window[1]]
        return np.array(inside if self._view.options.lines else [])

    def use_templates(self, source: TemplateSource) -> None:
        """Set what loads the template named in the view options."""
        self.template.set_source(source)

    def go_to(self, window: Window, *, keep_flux: bool = True) -> None:
        """Show another part of the spectrum; the flux range is fitted unless `keep_flux`."""
        self._keep_flux = keep_flux
        self._view.set_window(within(window, self.whole))
        self._keep_flux = False

    def show_whole(self) -> None:
        self.follower.forget()
        self._view.set_window(None)
        self.autoscale()

    def autoscale(self) -> None:
        self.plot.show_range(self.window_now, autoscale=True)

    def peek(self) -> None:
        self._is_peeking = True
        self._show_window()

    def end_peek(self) -> None:
        self._is_peeking = False
        self._show_window()

    # Signals

    def _connect(self, context: SessionContext) -> None:
        self._current.candidate_changed.connect(self._start_candidate)
        self._current.spectrum_changed.connect(self._show)
        self._current.spectrum_failed.connect(self.empty_message.show_fault)
        self._view.changed.connect(self._apply_options)
        self._view.window_changed.connect(self._show_window)
        self._settings.changed.connect(self._apply_settings)
        context.current_theme.changed.connect(self._apply_theme)
        self.plot.painted.connect(self._current.note_painted)
        self.template.changed.connect(self._update_note)
        self.plot.hovered.connect(self._show_readout)
        self.plot.laid_out.connect(self._align)
        self.empty_message.retry_requested.connect(self._current.retry)
        self.empty_message.next_requested.connect(self._current.next)
        context.keymap.changed.connect(self._show_key)
        plot, overview = self.plot, self.overview
        plot.range_requested.connect(self._pan)
        plot.range_drawn.connect(self._zoom_to)
        plot.box_changed.connect(self.plot.show_box)
        plot.flux_requested.connect(self.plot.show_flux)
        plot.clicked.connect(self._identify)
        plot.whole_requested.connect(self.show_whole)
        overview.range_requested.connect(self._pan)
        overview.released.connect(self.autoscale)
        overview.whole_requested.connect(self.show_whole)

    def _start_candidate(self, row: QueueRow | None) -> None:
        """Prepare for another object; the zoomed window stays if the options say so."""
        self.follower.restore()
        if not self._view.options.keep_window:
            self._view.set_window(None)
        self._identified = None
        if row is None:
            self.empty_message.show_no_object()

    def _show(self, spectrum: Spectrum | None) -> None:
        candidate = self._current.candidate
        self._spectrum = spectrum
        if candidate is None:
            self.header.show_object("", spectrum)
        else:
            self.header.show_object(candidate.object_id, spectrum, candidate.snr)
        if spectrum is None:
            self.plot.show_trace(None)
            self.template.draw()
            self.overview.show_trace(None)
            self._update_readout()
            self._update_note()
            if candidate is not None:
                self.empty_message.show_reading()
            return
        assert candidate is not None
        self.empty_message.clear()
        self._draw(candidate.id)

    def _draw(self, candidate_id: int | None) -> None:
        assert self._spectrum is not None
        spectrum, smoothing_px = self._spectrum, self._view.options.smoothing_px
        if smoothing_px and len(spectrum) > MAX_SYNC_PIXELS:
            work = partial(trace, spectrum, smoothing_px)
            done = partial(self._show_smoothed, spectrum, candidate_id is None)
            self._runner.run(work, done, owner=self)
            if candidate_id is None:
                return  # the old curve stays until the new one is ready
            smoothing_px = 0.0
        self._show_trace(trace(spectrum, smoothing_px), candidate_id)

    def _show_smoothed(self, spectrum: Spectrum, keep_flux: bool, drawn: Trace) -> None:
        """Show a trace smoothed in the background, unless it is outdated."""
        if spectrum is self._spectrum and drawn.smoothing_px == self._view.options.smoothing_px:
            self._keep_flux = keep_flux
            self._show_trace(drawn, None)
            self._keep_flux = False

    def _show_trace(self, drawn: Trace, candidate_id: int | None) -> None:
        assert self._spectrum is not None
        self.plot.show_trace(drawn, candidate_id)
        self._update_titles()
        self._show_window()
        self.template.draw()
        if candidate_id is not None:
            plain = drawn if not drawn.is_smoothed else trace(self._spectrum)
            self.overview.show_trace(plain)

    def _show_window(self, _: object = None) -> None:
        """Show the user's window, or the whole spectrum where they do not overlap."""
        window = None if self._is_peeking else self._view.window
        if window is not None and not overlaps(window, self.whole):
            window = None
        self.plot.show_range(window or self.whole, autoscale=not self._keep_flux)
        self.overview.show_window(window)
        self._update_readout()
        self._update_note()

    def _apply_options(self, names: frozenset[str]) -> None:
        if "smoothing" in names and self._spectrum is not None:
            self._keep_flux = True
            self._draw(None)
            self._keep_flux = False
        if names & {"z", "rest_axis"}:
            self._update_titles()
        if "z" in names:
            self._show_task_windows()
        if names & {"z", "line_sets"}:
            self._update_marks()
        self._update_visibility()
        self._update_note()

    def _apply_theme(self, theme: Theme) -> None:
        self.plot.apply_theme(theme)
        self.overview.apply_theme(theme)
        self.empty_message.apply_theme(theme)

    def _show_key(self) -> None:
        self.empty_message.show_key(self._keymap.label("next"))

    def _show_all(self) -> None:
        self._show_key()
        terrestrial = self._lists.terrestrial
        self.plot.shades.show_terrestrial(terrestrial)
        self.plot.show_range(self._view.window or DEFAULT_WINDOW, autoscale=False)
        self._update_titles()
        self._update_marks()
        self._update_visibility()
        self._show_task_windows()

    # Lines, windows, axes

    def _update_marks(self) -> None:
        options = self._view.options
        sets = self._task.lines if options.line_sets is None else options.line_sets
        own = self._ranks if options.line_sets is None else ()
        self.plot.marks.show_marks(marks(self._lists, sets, self._ranks, options.z, own))
        self.plot.viewport().update()

    def _update_visibility(self) -> None:
        options = self._view.options
        self.plot.marks.setVisible(options.lines)
        self.plot.marks.has_names = options.labels
        self.plot.errors.setVisible(options.errors)
        self.plot.shades.setVisible(options.mask)
        self.plot.viewport().update()

    def _show_task_windows(self) -> None:
        self.overview.show_task_windows(task_brackets(self._task, self._view.options.z))

    def _update_titles(self) -> None:
        options = self._view.options
        wavelength = self.tr("Rest wavelength (Å, vacuum)")
        if not options.rest_axis:
            wavelength = self.tr("Wavelength (Å, vacuum)")
        drawn = self.plot.trace
        unit = "" if self._spectrum is None else self._spectrum.flux_unit
        exponent = 0 if drawn is None else drawn.exponent
        flux = flux_title(self.tr("Relative flux"), self.tr("Flux"), unit, exponent)
        self.plot.show_titles(wavelength, flux, 1.0 + options.z if options.rest_axis else 1.0)

    def _apply_settings(self, settings: Settings) -> None:
        """Read the user's line lists in the background; the built-in ones are already shown."""
        if settings.line_lists != self._own_lists:
            self._own_lists = settings.line_lists
            read = partial(user_line_lists, settings.line_lists)
            self._runner.run(read, self._set_lists, self._current.report_error, owner=self)

    def _set_lists(self, lists: LineLists) -> None:
        self._lists = lists
        self.plot.shades.show_terrestrial(lists.terrestrial)
        self._update_marks()

    # The mouse

    def _pan(self, lo: float, hi: float) -> None:
        self.go_to((lo, hi))

    def _zoom_to(self, lo: float, hi: float) -> None:
        self.go_to((lo, hi), keep_flux=False)

    def _show_readout(self, at: QPointF | None) -> None:
        self._mouse_at = at
        self._update_readout()

    def _update_readout(self) -> None:
        """Say what is under the mouse now: the spectrum may have changed, or its scale."""
        wavelength, at = self.under_mouse, self._mouse_at
        if wavelength is None or at is None or self._spectrum is None:
            self.header.show_readout("")
            return
        mark = self.plot.marks.at(at.x())
        text = readout_text(self._spectrum, wavelength, self._view.options.z, mark)
        self.header.show_readout(text)

    def _identify(self, wavelength: float) -> None:
        """Name the known lines near the wavelength that was clicked."""
        self._identified = wavelength
        self._update_note()

    def _update_note(self) -> None:
        """Say in the header how the spectrum is drawn."""
        self.header.show_note(" · ".join(self._notes()))

    def _notes(self) -> list[str]:
        notes, drawn, window = self._drawn_as(), self.plot.trace, self._view.window
        if drawn is not None and window is not None and not overlaps(window, self.whole):
            no_data = self.tr("No data from {lo} to {hi} Å: showing the whole spectrum")
            no_data = no_data.replace("{lo}", f"{window[0]:.0f}")
            notes.insert(0, no_data.replace("{hi}", f"{window[1]:.0f}"))
        if self._identified is not None and drawn is not None:
            near = lines_nearby(self._lists, self._identified, self._view.options.z)
            text = self.tr("At {place}: {lines}").replace("{place}", f"{self._identified:.1f} Å")
            notes.insert(0, text.replace("{lines}", near or self.tr("no known line")))
        return notes

    def _drawn_as(self) -> list[str]:
        """Smoothing and template, as of now."""
        drawn, notes = self.plot.trace, []
        if drawn is not None and drawn.is_smoothed:
            width = self.tr("Smoothed {px} px = {kms} km/s (FWHM)")
            width = width.replace("{px}", f"{drawn.smoothing_px:g}")
            notes.append(width.replace("{kms}", f"{drawn.smoothing_kms:.0f}"))
        if self.template.name:
            text = self.tr("Template: {name}").replace("{name}", self.template.name)
            fits = self.template.fits or drawn is None
            notes.append(text if fits else text + self.tr(" (no overlap)"))
        return notes

    def _align(self) -> None:
        """Line up the overview with the plot, and cover the plot with the empty message."""
        self.empty_message.setGeometry(self.plot.rect())
        stage = self.plot.stage.geometry()
        self.overview.align(stage.left(), self.plot.width() - stage.right())
