"""The centre of the window: the header, the spectrum plot, and the minimap below."""

from contextlib import suppress
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from agent.errors import ReadError
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from agent.trajectory.trajectory import Trajectory
from app.core.queue import QueueRow
from app.core.spectra.flux_quantity import AS_IN_FILE
from app.core.spectra.prefetch import Prefetch, spectrum_key
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import Theme
from app.ui.base.translation.data_texts import library_name
from app.ui.judge.agent.deciding_facts import deciding_facts
from app.ui.judge.agent.status_texts import waiting_text
from app.ui.judge.plot.axes.flux_range import flux_range, overlaps, within
from app.ui.judge.plot.axes.titles import badges, flux_axis_title, wavelength_title
from app.ui.judge.plot.empty_message import EmptyPlotMessage
from app.ui.judge.plot.header import Header, drawn_as, near_note, no_data_note
from app.ui.judge.plot.marks import MEASURED, marks, task_ranks
from app.ui.judge.plot.minimap.minimap import Minimap, agent_brackets, task_brackets
from app.ui.judge.plot.plot_view import PlotView
from app.ui.judge.plot.readout import PlotLineLists, lines_nearby, readout_text
from app.ui.judge.plot.template_overlay import TemplateOverlay
from app.ui.judge.plot.trace import AskedTrace, Trace, asked_trace, takes_long, trace
from app.ui.session.candidate.view_options import USUAL_AXES, View
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, flow
from app.ui.widgets.text_width import first_that_fits

DEFAULT_WINDOW: Window = (3700.0, 9100.0)  # range of an empty plot
AROUND_KMS, WIDE_KMS = 3000.0, 30_000.0
"""Velocities to show on each side of a line, and the widest range that is left as it is."""
PREPARE_AFTER_MS = 20  # after painting, so that it is not in the way of the next key
LEAST_LINES = 5  # lines of text that the plot is high before the minimap has room
AXIS_OPTIONS = frozenset({"z", *USUAL_AXES})


class SpectrumPanel(QFrame):
    """Shows the current candidate's spectrum, and reports when it was really painted.

    A candidate cannot be judged before that.
    """

    drawn_later = Signal()  # a curve made in the background took the place of the one on screen

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current, self._view = context.current, context.view
        self._runner, self._keymap = context.runner, context.keymap
        self._agent = context.agent
        self._task = context.bridge.session.task
        self.lines = PlotLineLists(context, self)
        self._ranks = task_ranks(self._task, self.lines.lists)
        self.traces = TraceCache(context.view, context.current.prefetch)
        self._own_marks: FloatArray = np.empty(0)
        self.spectrum: Spectrum | None = None
        self.least_px = 0  # the least height of the plot, where the page wants more than lines
        self._keep_flux = self._is_peeking = False
        self._identified: float | None = None
        self._mouse_at: QPointF | None = None
        self.header = Header(context, self)
        self.plot = PlotView(context.current_theme.theme, self)
        self.readout = CornerReadout(self.plot)
        self.minimap = Minimap(context.current_theme.theme, self)
        self.empty_message = EmptyPlotMessage(context.current_theme.theme, self.plot)
        self.top_row = flow(self.header)  # the title; tools may follow it
        parts = self.top_row, (self.plot, 1), self.minimap
        self._layout = column(*parts, spacing=2, margins=2, parent=self)
        # Widgets are not hidden while Qt lays them out.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_height)
        self.plot.setAccessibleName(self.tr("Spectrum"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.plot)
        self.template = TemplateOverlay(context, self.plot, self)
        self.follower = AgentFollower(context, self.plot, self.minimap, self)
        self._connect(context)
        self._show_key()
        self.plot.show_range(self._view.window or DEFAULT_WINDOW, autoscale=False)
        self._update_axes()
        self._use_lists()
        self._update_visibility()
        self._show_task_windows()
        self.lines.read(context.settings.settings)

    @property
    def whole(self) -> Window:
        return DEFAULT_WINDOW if self.spectrum is None else self.spectrum.range

    @property
    def window_now(self) -> Window:
        """The window on screen, observed frame."""
        scale = self.plot.stage.scale_now
        return scale.lo, scale.hi

    @property
    def under_mouse(self) -> float | None:
        """Wavelength under the mouse; None while it is not on the plot."""
        at = None if self.spectrum is None else self._mouse_at
        return None if at is None else self.plot.stage.scale_now.wavelength(at.x())

    @property
    def caption(self) -> str:
        """Heading of a saved picture."""
        notes = [*self._drawn_as(), *badges(self._view.options, self.frame, self.spectrum)]
        return "   ".join([*self.header.texts, " · ".join(notes)]).strip()

    @property
    def frame(self) -> WavelengthFrame:
        return self._view.options.frame(self.spectrum)

    def marked_in(self, window: Window) -> FloatArray:
        """Observed wavelengths of the task's lines in a window."""
        own = self._own_marks if self._view.options.lines else self._own_marks[:0]
        return own[(own >= window[0]) & (own <= window[1])]

    def add_below(self, part: QWidget) -> None:
        self._layout.insertWidget(self._layout.indexOf(self.minimap), part)

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

    def peek(self, on: bool) -> None:
        self._is_peeking = on
        self._show_window()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._fitting.start()
        return super().event(event)

    @property
    def height_left(self) -> int:
        """What is left of the height without the minimap; negative: the plot is not high enough."""
        needed = self._layout.minimumHeightForWidth(self.contentsRect().width())
        needed -= self._strip if self.minimap.isVisible() else 0
        least = max(self.least_px, LEAST_LINES * round(self.plot.texts.height))
        needed += max(least - self.plot.minimumHeight(), 0)
        return int(self.contentsRect().height() - needed)

    @property
    def _strip(self) -> int:
        return int(self.minimap.height() + self._layout.spacing())

    def _fit_height(self) -> None:
        """Hide the minimap where large text on a small screen leaves the plot no room."""
        self.minimap.setVisible(self.height_left >= self._strip)

    def numbers_below(self) -> int:
        """How many pixels at the lower edge hold the numbers of the axis."""
        stage_bottom = self.plot.y() + round(self.plot.stage.geometry().bottom())
        return 0 if self.minimap.isVisible() else self.height() - stage_bottom

    def _connect(self, context: SessionContext) -> None:
        self._current.candidate_changed.connect(self._start_candidate)
        self._current.spectrum_changed.connect(self._show)
        self._current.spectrum_failed.connect(self.empty_message.show_fault)
        self._view.changed.connect(self._apply_options)
        context.agent.state_changed.connect(self._show_badges)
        self._view.window_changed.connect(self._show_window)
        self.lines.changed.connect(self._use_lists)
        context.current_theme.changed.connect(self._apply_theme)
        self.plot.painted.connect(self._current.note_painted)
        self._preparing = QTimer(self, singleShot=True, interval=PREPARE_AFTER_MS)
        self._preparing.timeout.connect(self._prepare_next)
        self.plot.painted.connect(lambda _: self._preparing.start())
        self.template.changed.connect(self._update_note)
        self.plot.stage.hovered.connect(self._show_readout)
        self.plot.laid_out.connect(self._align)
        self.empty_message.retry_button.clicked.connect(self._current.retry)
        self.empty_message.next_button.clicked.connect(self._current.next)
        context.keymap.changed.connect(self._show_key)
        stage, minimap = self.plot.stage, self.minimap
        stage.range_requested.connect(self._pan)
        stage.range_drawn.connect(lambda lo, hi: self.go_to((lo, hi), keep_flux=False))
        stage.box_changed.connect(self._show_box)
        stage.flux_requested.connect(self.plot.show_flux)
        stage.clicked.connect(self._identify)
        stage.whole_requested.connect(self.show_whole)
        minimap.range_requested.connect(self._pan)
        minimap.released.connect(self.autoscale)
        minimap.box.whole_requested.connect(self.show_whole)

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
        self.spectrum = spectrum
        name, snr = ("", None) if candidate is None else (candidate.object_id, candidate.snr)
        self.header.show_object(name, spectrum, snr)
        if spectrum is None:
            self.plot.show_trace(None)
            self.template.draw()
            self.minimap.show_trace(None)
            self._update_readout()
            self._update_note()
            if candidate is not None:
                self.empty_message.show_reading()
            return
        assert candidate is not None
        self.empty_message.clear()
        self._draw(candidate.id)

    def _draw(self, candidate_id: int | None) -> None:
        assert self.spectrum is not None
        spectrum, asked = self.spectrum, asked_trace(self._view.options)
        if takes_long(spectrum, *asked):
            done = partial(self._show_made, spectrum, asked, self._keep_flux)
            self._runner.run(partial(trace, spectrum, *asked), done, owner=self)
            if candidate_id is None:
                return  # the old curve stays until the new one is ready
            asked = 0.0, AS_IN_FILE, asked[2]
        self._show_trace(self.traces.trace(spectrum, asked), candidate_id)

    def _prepare_next(self) -> None:
        """Compute ahead what takes longest of painting the next object."""
        row = self._current.row
        ahead = () if row is None else self._current.repeat_round.neighbours_of(row).ahead
        spectrum = made = None
        if ahead:
            with suppress(ReadError):
                spectrum = self._current.prefetch.peek(spectrum_key(ahead[0].candidate))
        if spectrum is not None:
            made = self.traces.made_ahead(spectrum, asked_trace(self._view.options))
        if made is None:
            return
        self.plot.prepare(made, self._view.window or made.range, self.traces.window_sizes)
        self.minimap.prepare(made)

    def _show_made(
        self, spectrum: Spectrum, asked: AskedTrace, keep_flux: bool, drawn: Trace
    ) -> None:
        """Show a trace made in the background, unless it is outdated."""
        if spectrum is self.spectrum and asked == asked_trace(self._view.options):
            self._keep_flux = keep_flux
            self._show_trace(drawn, None)
            self._keep_flux = False
            self.drawn_later.emit()

    def _show_trace(self, drawn: Trace, candidate_id: int | None) -> None:
        assert self.spectrum is not None
        self.plot.show_trace(drawn, candidate_id)
        self._update_axes()
        self._show_window()
        self.template.draw()
        if candidate_id is not None or not self.minimap.shows_quantity_of(drawn):
            asked = 0.0, drawn.quantity, drawn.is_log
            self.minimap.show_trace(trace(self.spectrum, *asked) if drawn.is_smoothed else drawn)

    def _show_window(self, _: object = None) -> None:
        """Show the user's window, or the whole spectrum where they do not overlap."""
        window = None if self._is_peeking else self._view.window
        if window is not None and not overlaps(window, self.whole):
            window = None
        self.plot.show_range(window or self.whole, autoscale=not self._keep_flux)
        self.minimap.show_window(window)
        self._update_readout()
        self._update_note()

    def _apply_options(self, names: frozenset[str]) -> None:
        self.plot.from_zero = self._view.options.flux_zero
        if names & {"smoothing", "flux", "flux_log"} and self.spectrum is not None:
            self._keep_flux = not names & {"flux", "flux_log"}
            self._draw(None)
            self._keep_flux = False
        if "flux_zero" in names:
            self.autoscale()
        if names & AXIS_OPTIONS:
            self._update_axes()
            self._update_readout()
        if "velocity_line" in names and self._view.options.velocity_line is not None:
            # Show the part of the spectrum around the line of velocities, unless that is shown.
            frame = self.frame
            lo, hi = (frame.shown(end) for end in self.window_now)
            around = frame.observed(-AROUND_KMS), frame.observed(AROUND_KMS)
            if hi - lo > WIDE_KMS and overlaps(around, self.whole):
                self.go_to(around, keep_flux=False)
        if "z" in names:
            self._show_task_windows()
        if names & {"z", "line_sets"}:
            self._update_marks()
        self._update_visibility()
        self._update_note()

    def _apply_theme(self, theme: Theme) -> None:
        for part in (self.plot, self.minimap, self.empty_message):
            part.apply_theme(theme)

    def _show_key(self) -> None:
        self.empty_message.show_key(self._keymap.label("next"))

    def _update_marks(self) -> None:
        options = self._view.options
        sets = self._task.lines if options.line_sets is None else options.line_sets
        own = self._ranks if options.line_sets is None else ()
        shown = marks(self.lines.lists, sets, self._ranks, options.z, own)
        self.plot.marks.show_marks(shown)
        self._own_marks = np.sort([each.wavelength for each in shown if each.rank < MEASURED])
        self.plot.viewport().update()

    def _update_visibility(self) -> None:
        options = self._view.options
        self.plot.marks.setVisible(options.lines)
        self.plot.marks.has_names = options.labels
        self.plot.errors.setVisible(options.errors)
        self.plot.shades.setVisible(options.mask)
        self.plot.viewport().update()

    def _show_task_windows(self) -> None:
        self.minimap.show_task_windows(task_brackets(self._task, self._view.options.z))

    def _update_axes(self) -> None:
        drawn, frame = self.plot.trace, self.frame
        unit = "" if self.spectrum is None else self.spectrum.flux_unit
        self.plot.show_axes(wavelength_title(frame), flux_axis_title(drawn, unit), frame)
        self._show_badges()

    def _show_badges(self) -> None:
        """Show how the plot is drawn, and that a run here waits for its model."""
        shown = badges(self._view.options, self.frame, self.spectrum)
        waiting = waiting_text(self._agent.shown.run, self._agent.worker_model)
        self.plot.badges.show_texts([*shown, *filter(None, [waiting])])

    def _use_lists(self) -> None:
        self.plot.shades.show_terrestrial(self.lines.lists.terrestrial)
        self._update_marks()

    def _pan(self, lo: float, hi: float) -> None:
        self.go_to((lo, hi))

    def _show_box(self, window: Window | None) -> None:
        """Show the zoom box while it is drawn, and its range in place of the readout."""
        self.plot.look.zoom_box = window
        self.plot.viewport().update()
        if window is None:
            self._update_readout()
        else:
            self.readout.show_values(self.frame.range_text(window, 1), self._mouse_at)

    def _show_readout(self, at: QPointF | None) -> None:
        self._mouse_at = at
        self._update_readout()

    def _update_readout(self) -> None:
        """Say what is under the mouse now: the spectrum may have changed, or its scale."""
        wavelength, at = self.under_mouse, self._mouse_at
        if wavelength is None or at is None or self.spectrum is None:
            self.readout.show_values("", None)
            return
        mark = self.plot.marks.at(at.x())
        text = readout_text(self.spectrum, wavelength, self.frame, mark, self.plot.trace)
        self.readout.show_values(text, at)

    def _identify(self, wavelength: float) -> None:
        self._identified = wavelength
        self._update_note()

    def _update_note(self) -> None:
        notes, drawn, window = self._drawn_as(), self.plot.trace, self._view.window
        if drawn is not None and window is not None and not overlaps(window, self.whole):
            notes.insert(0, no_data_note(window, self.frame))
        if self._identified is not None and drawn is not None:
            near = lines_nearby(self.lines.lists, self._identified, self._view.options.z)
            notes.insert(0, near_note(self.frame.text(self._identified), near))
        self.header.show_note(" · ".join(notes))

    def _drawn_as(self) -> list[str]:
        return drawn_as(self.plot.trace, library_name(self.template.name), fits=self.template.fits)

    def _align(self) -> None:
        """Line up the minimap with the plot, and cover the plot with the empty message."""
        self.empty_message.setGeometry(self.plot.rect())
        stage = self.plot.stage.geometry()
        self.minimap.align(stage.left(), self.plot.width() - stage.right())


LABEL_LENGTH = 60


class TraceCache:
    """The traces of spectra that were read ahead, each as long as its spectrum is kept."""

    def __init__(self, view: View, prefetch: Prefetch) -> None:
        self._view = view
        self.window_sizes: dict[Window, tuple[float, float]] = {}
        """Widths and heights, in dots of the screen, of the small windows beside the plot."""
        self._made: WeakKeyDictionary[Spectrum, tuple[AskedTrace, Trace]] = WeakKeyDictionary()
        prefetch.prepare = self.prepare

    def prepare(self, spectrum: Spectrum) -> None:
        """Make its trace as the view options are now; called in the thread that has read it."""
        options, window = self._view.options, self._view.window
        asked = asked_trace(options)
        if takes_long(spectrum, *asked):
            return
        made = trace(spectrum, *asked)
        _ = made.gaps, made.underlay
        for each in {window or made.range, made.range, *self.window_sizes}:
            flux_range(made, each, options.flux_zero)
        self._made[spectrum] = asked, made

    def trace(self, spectrum: Spectrum, asked: AskedTrace) -> Trace:
        made = self.made_ahead(spectrum, asked)
        return trace(spectrum, *asked) if made is None else made

    def made_ahead(self, spectrum: Spectrum, asked: AskedTrace) -> Trace | None:
        """The trace that was made when the spectrum was read, if it is as asked for now."""
        made_for, made = self._made.get(spectrum, (None, None))
        return made if made_for == asked else None


class AgentFollower(QObject):
    """Moves the plot to the window the agent is looking at, and back afterwards."""

    def __init__(
        self, context: SessionContext, plot: PlotView, minimap: Minimap, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._view: View = context.view
        self._plot, self._minimap = plot, minimap
        self._user_view: tuple[Window | None, str] | None = None
        context.agent.shown.look_changed.connect(self._follow)
        context.agent.shown.trajectory_changed.connect(self._show_evidence)
        context.commands.ran.connect(self._command_ran)
        self._show_evidence(context.agent.shown.trajectory)

    def restore(self) -> None:
        """Go back to the user's own window, unless they have moved on since."""
        user_view, followed = self._user_view, self._plot.look.look
        self.forget()
        if user_view is not None and self._view.window == followed:
            self._view.set_window(*user_view)

    def forget(self) -> None:
        self._user_view = None
        self._plot.show_look(None)

    def _follow(self, window: Window | None, label: str) -> None:
        if window is None:
            self.restore()
            return
        name = " ".join(label.split())[:LABEL_LENGTH]
        if self._user_view is None:
            self._user_view = self._view.window, self._view.window_name
        self._plot.show_look(window, name or self.tr("The agent is looking here"))
        self._view.set_window(window, name)

    def _show_evidence(self, trajectory: Trajectory | None) -> None:
        self._minimap.show_agent_windows(agent_brackets(trajectory))
        facts = () if trajectory is None else deciding_facts(trajectory)
        self._plot.look.facts = tuple(
            (each.place, str(number)) for number, each in enumerate(facts, start=1)
        )
        self._plot.viewport().update()

    def _command_ran(self, name: str) -> None:
        if name == "escape":
            self.restore()


# The values under the mouse, in a lower corner of the plot where the mouse is not.
BETWEEN = "   "  # stands between those values
PAD_PX, EDGE_PX = 6, 3


class CornerReadout(QLabel):
    """Placed by hand: in a layout each new text would recompute the sizes of the whole window."""

    def __init__(self, plot: PlotView) -> None:
        super().__init__(plot)
        self._plot = plot
        self.setProperty("role", "number")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoFillBackground(True)
        self.setAccessibleName(self.tr("Wavelength and flux under the mouse"))
        self.hide()

    def show_values(self, text: str, at: QPointF | None) -> None:
        """Where they have no room, the first of them are left out; `at` is where the mouse is."""
        if not text:  # as for most objects
            self.setText("")
            self.hide()
            return
        stage, metrics = self._plot.stage.geometry().toRect(), self.fontMetrics()
        parts = text.split(BETWEEN)
        ends = [parts[number:] for number in range(len(parts))]
        texts = [between.join(end) for end in ends for between in (BETWEEN, " ")]
        text = first_that_fits(texts, metrics, stage.width() - 2 * (PAD_PX + EDGE_PX))
        width, height = metrics.horizontalAdvance(text) + 2 * PAD_PX, metrics.height() + 2
        # As wide as before if that is wider, so that it does not flicker from place to place.
        width = max(width, min(self.width(), stage.width())) if not self.isHidden() else width
        corner = QRect(0, 0, width, height)
        corner.moveBottomRight(stage.bottomRight())
        corner.translate(-EDGE_PX, -EDGE_PX)
        if at is not None and corner.adjusted(-height, -height, height, height).contains(
            (at + self._plot.stage.geometry().topLeft()).toPoint()
        ):
            corner.moveLeft(stage.left() + EDGE_PX)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor(self._plot.theme.plot))
        self.setPalette(palette)
        self.setText(text)
        self.setGeometry(corner)
        self.show()
