"""The centre of the window: the spectrum, what is known of it, and the strip below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from agent.spectra.lines import LineLists, builtin_lines, load_line_lists
from agent.spectra.spectrum import Spectrum
from app.core.queue import QueueRow
from app.ui.plot.agent_follower import AgentFollower
from app.ui.plot.blank import EmptyPlotMessage
from app.ui.plot.brackets import task_brackets
from app.ui.plot.header import Header
from app.ui.plot.marks import marks, task_ranks
from app.ui.plot.overview import Overview
from app.ui.plot.plot_view import PlotView
from app.ui.plot.ranges import overlaps, within
from app.ui.plot.readout import flux_title, neighbours, reading
from app.ui.plot.template_overlay import TemplateOverlay, TemplateSource
from app.ui.plot.trace import Range, Trace, trace
from app.ui.session_context import SessionContext
from app.ui.settings.settings import Settings
from app.ui.theme.theme import Theme


def user_line_lists(paths: Sequence[str]) -> LineLists:
    """Raises a WorkbenchError for a list that cannot be used."""
    return load_line_lists([Path(path) for path in paths])


NOWHERE: Range = (3700.0, 9100.0)
"""What an empty plot spans."""
MOST_AT_ONCE = 100_000
"""Pixels that are smoothed while the window waits."""


class SpectrumPanel(QFrame):
    """Says to the desk when a spectrum was painted: before, it cannot be judged."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current, self._view = context.current, context.view
        self._runner, self._settings, self._keymap = (
            context.runner,
            context.settings,
            context.keymap,
        )
        self._own_lists: tuple[str, ...] = ()
        self._task = context.bridge.session.task
        self._ranks = task_ranks(self._task)
        self._lists: LineLists = builtin_lines()
        self._spectrum: Spectrum | None = None
        self._keeps_flux = False
        self._peeks = False
        self._answer = ""
        self._under_mouse: float | None = None
        self.header = Header()
        self.plot = PlotView(context.current_theme.theme)
        self.overview = Overview(context.current_theme.theme)
        self.blank = EmptyPlotMessage(context.current_theme.theme, self.plot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 8)
        layout.setSpacing(4)
        layout.addWidget(self.header)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.overview)
        self.plot.setAccessibleName(self.tr("Spectrum"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.plot)
        self.template = TemplateOverlay(context, self.plot, self)
        self.follower = AgentFollower(context, self.plot, self.overview, self)
        self._connect(context)
        self._take_settings(self._settings.settings)
        self._show_all()

    # What others may ask

    @property
    def whole(self) -> Range:
        return NOWHERE if self._spectrum is None else self._spectrum.range

    @property
    def window_now(self) -> Range:
        """On screen, observed frame."""
        scale = self.plot.stage.scale_now
        return scale.lo, scale.hi

    @property
    def spectrum(self) -> Spectrum | None:
        return self._spectrum

    @property
    def under_mouse(self) -> float | None:
        """Wavelength, where the mouse is on the plot."""
        return self._under_mouse

    @property
    def caption(self) -> str:
        """What a picture of it is headed with."""
        return "   ".join(self.header.told)

    def use_templates(self, source: TemplateSource) -> None:
        """Where the templates that `View.options.template` names come from."""
        self.template.use(source)

    def go(self, window: Range, *, keep_flux: bool = True) -> None:
        """To another part of the spectrum, for good."""
        self._keeps_flux = keep_flux
        self._view.look_at(within(window, self.whole))
        self._keeps_flux = False

    def show_whole(self) -> None:
        self.follower.forget()
        self._view.look_at(None)
        self.autoscale()

    def autoscale(self) -> None:
        self.plot.show_range(self.window_now, autoscale=True)

    def peek(self) -> None:
        self._peeks = True
        self._show_window()

    def end_peek(self) -> None:
        self._peeks = False
        self._show_window()

    # What happens elsewhere

    def _connect(self, context: SessionContext) -> None:
        self._current.moved.connect(self._meet)
        self._current.spectrum_changed.connect(self._show)
        self._current.unreadable.connect(self.blank.show_fault)
        self._view.changed.connect(self._take_options)
        self._view.window_changed.connect(self._show_window)
        self._settings.changed.connect(self._take_settings)
        context.current_theme.changed.connect(self._dress)
        self.plot.painted.connect(self._current.note_painted)
        self.template.changed.connect(self._say_how)
        self.plot.hovered.connect(self._hover)
        self.plot.laid_out.connect(self._align)
        self.blank.retry_wanted.connect(self._current.retry)
        self.blank.next_wanted.connect(self._current.next)
        context.keymap.changed.connect(self._show_key)
        plot, overview = self.plot, self.overview
        plot.range_wanted.connect(self._pan)
        plot.range_drawn.connect(self._jump)
        plot.box_changed.connect(self.plot.show_box)
        plot.flux_wanted.connect(self.plot.show_flux)
        plot.clicked.connect(self._identify)
        plot.whole_wanted.connect(self.show_whole)
        overview.range_wanted.connect(self._pan)
        overview.let_go.connect(self.autoscale)
        overview.whole_wanted.connect(self.show_whole)

    def _meet(self, line: QueueRow | None) -> None:
        """Another object: the window stays, unless the person wants otherwise."""
        self.follower.leave()
        if not self._view.options.keep_window:
            self._view.look_at(None)
        self._answer = ""
        if line is None:
            self.blank.show_nothing()

    def _show(self, spectrum: Spectrum | None) -> None:
        candidate = self._current.candidate
        self._spectrum = spectrum
        self.header.show_object("" if candidate is None else candidate.object_id, spectrum)
        if spectrum is None:
            self.plot.show_trace(None)
            self.template.draw()
            self.overview.show_trace(None)
            self.header.readout.clear()
            self._say_how()
            if candidate is not None:
                self.blank.show_reading()
            return
        assert candidate is not None
        self.blank.clear()
        self._draw(candidate.id)

    def _draw(self, candidate_id: int | None) -> None:
        assert self._spectrum is not None
        spectrum, smoothing_px = self._spectrum, self._view.options.smoothing_px
        if smoothing_px and len(spectrum) > MOST_AT_ONCE:
            work = partial(trace, spectrum, smoothing_px)
            done = partial(self._take_trace, spectrum, candidate_id is None)
            self._runner.run(work, done, owner=self)
            if candidate_id is None:
                return  # what is there stays until then
            smoothing_px = 0.0
        self._show_trace(trace(spectrum, smoothing_px), candidate_id)

    def _take_trace(self, spectrum: Spectrum, keeps_flux: bool, drawn: Trace) -> None:
        """One that was smoothed elsewhere, unless something else is wanted by now."""
        if spectrum is self._spectrum and drawn.smoothing_px == self._view.options.smoothing_px:
            self._keeps_flux = keeps_flux
            self._show_trace(drawn, None)
            self._keeps_flux = False

    def _show_trace(self, drawn: Trace, candidate_id: int | None) -> None:
        assert self._spectrum is not None
        self.plot.show_trace(drawn, candidate_id)
        self._title_axes()
        self._show_window()
        self.template.draw()
        if candidate_id is not None:
            plain = drawn if not drawn.is_smoothed else trace(self._spectrum)
            self.overview.show_trace(plain)

    def _show_window(self, _: object = None) -> None:
        """The person's window, or all where it holds nothing of this spectrum."""
        wanted = None if self._peeks else self._view.window
        is_there = wanted is not None and overlaps(wanted, self.whole)
        window = wanted if wanted is not None and is_there else self.whole
        self.plot.show_range(window, autoscale=not self._keeps_flux)
        self.overview.show_window(window if is_there else None)
        self._say_how()

    def _take_options(self, names: frozenset[str]) -> None:
        if "smoothing" in names and self._spectrum is not None:
            self._keeps_flux = True
            self._draw(None)
            self._keeps_flux = False
        if names & {"z", "rest_axis"}:
            self._title_axes()
        if "z" in names:
            self._show_task_windows()
        if names & {"z", "line_sets"}:
            self._mark()
        self._switch()
        self._say_how()

    def _dress(self, theme: Theme) -> None:
        self.plot.use(theme)
        self.overview.use(theme)
        self.blank.use(theme)

    def _show_key(self) -> None:
        self.blank.show_key(self._keymap.label("next"))

    def _show_all(self) -> None:
        self._show_key()
        terrestrial = self._lists.terrestrial
        self.plot.shades.show_terrestrial(terrestrial)
        self.plot.show_range(self._view.window or NOWHERE, autoscale=False)
        self._title_axes()
        self._mark()
        self._switch()
        self._show_task_windows()

    # Lines, windows, axes

    def _mark(self) -> None:
        options = self._view.options
        sets = self._task.lines if options.line_sets is None else options.line_sets
        self.plot.marks.show_marks(marks(self._lists, sets, self._ranks, options.z))
        self.plot.viewport().update()

    def _switch(self) -> None:
        options = self._view.options
        self.plot.marks.setVisible(options.lines)
        self.plot.marks.has_names = options.labels
        self.plot.errors.setVisible(options.errors)
        self.plot.shades.setVisible(options.mask)
        self.plot.viewport().update()

    def _show_task_windows(self) -> None:
        self.overview.show_task_windows(task_brackets(self._task, self._view.options.z))

    def _title_axes(self) -> None:
        options = self._view.options
        words = self.tr("Wavelength at rest (Å, vacuum)")
        if not options.rest_axis:
            words = self.tr("Wavelength (Å, vacuum)")
        drawn = self.plot.trace
        unit = "" if self._spectrum is None else self._spectrum.flux_unit
        exponent = 0 if drawn is None else drawn.exponent
        flux = flux_title(self.tr("Relative flux"), self.tr("Flux"), unit, exponent)
        self.plot.show_titles(words, flux, 1.0 + options.z if options.rest_axis else 1.0)

    def _take_settings(self, settings: Settings) -> None:
        """The lines of the box are there at once; the person's own follow."""
        if settings.line_lists != self._own_lists:
            self._own_lists = settings.line_lists
            read = partial(user_line_lists, settings.line_lists)
            self._runner.run(read, self._take_lines, self._current.tell, owner=self)

    def _take_lines(self, lists: LineLists) -> None:
        self._lists = lists
        self.plot.shades.show_terrestrial(lists.terrestrial)
        self._mark()

    # The mouse

    def _pan(self, lo: float, hi: float) -> None:
        self.go((lo, hi))

    def _jump(self, lo: float, hi: float) -> None:
        self.go((lo, hi), keep_flux=False)

    def _hover(self, at: QPointF | None) -> None:
        if at is None or self._spectrum is None:
            self._under_mouse = None
            self.header.readout.clear()
            return
        wavelength = self._under_mouse = self.plot.stage.scale_now.wavelength(at.x())
        mark = self.plot.marks.at(at.x())
        text = reading(self._spectrum, wavelength, self._view.options.z, mark)
        self.header.readout.setText(text)

    def _identify(self, wavelength: float) -> None:
        """What is known near a place that was clicked on."""
        near = neighbours(self._lists, wavelength, self._view.options.z)
        words = self.tr("At {place}: {lines}").replace("{place}", f"{wavelength:.1f} Å")
        self._answer = words.replace("{lines}", near or self.tr("no known line"))
        self._say_how()

    def _say_how(self) -> None:
        """How the spectrum is drawn, on the line above it."""
        self.header.say(" · ".join(self._notes()))

    def _notes(self) -> list[str]:
        drawn, notes = self.plot.trace, [self._answer] if self._answer else []
        if drawn is not None and drawn.is_smoothed:
            width = self.tr("Smoothed {px} px = {kms} km/s (FWHM)")
            width = width.replace("{px}", f"{drawn.smoothing_px:g}")
            notes.append(width.replace("{kms}", f"{drawn.smoothing_kms:.0f}"))
        window = self._view.window
        if drawn is not None and window is not None and not overlaps(window, self.whole):
            nothing = self.tr("No data from {lo} to {hi} Å: all of it is shown")
            nothing = nothing.replace("{lo}", f"{window[0]:.0f}")
            notes.append(nothing.replace("{hi}", f"{window[1]:.0f}"))
        if self.template.name:
            words = self.tr("Template: {name}").replace("{name}", self.template.name)
            fits = self.template.fits or drawn is None
            notes.append(words if fits else words + self.tr(" (no overlap)"))
        return notes

    def _align(self) -> None:
        """The strip's wavelengths under those of the plot, and the words in the plot's place."""
        self.blank.setGeometry(self.plot.rect())
        where = self.plot.stage.geometry()
        self.overview.align(where.left(), self.plot.width() - where.right())
