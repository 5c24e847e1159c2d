"""The page where candidates are judged: the spectrum, with docks around it and verdicts below."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.agent.agent_panel import AgentPanel
from app.ui.comparison.compared_spectra import ComparedSpectra
from app.ui.comparison.comparison_control import ComparisonControl
from app.ui.comparison.overlay_curves import OverlayCurves
from app.ui.comparison.ratio import RatioPanel
from app.ui.controls.guideline_panel import GuidelinePanel
from app.ui.controls.tool_row import ToolRow
from app.ui.docks.dock import Dock
from app.ui.docks.queue_rail import QueueRail, QueueSheet
from app.ui.evidence.evidence_dock import EvidencePlace
from app.ui.information.information_panel import InformationPanel
from app.ui.information.nearby_panel import NearbyPanel
from app.ui.judging.fields.fields_row import ExtraKeys, FieldsRow
from app.ui.judging.key_strip import KeyStrip
from app.ui.judging.known_answer_note import KnownAnswerNote
from app.ui.judging.repeat_line import RepeatLine
from app.ui.judging.subclass_keys import SubclassKeys
from app.ui.judging.verdict_bar import VerdictBar
from app.ui.plot.line_fit.fit_tool import FitTool
from app.ui.plot.measure_tool import MeasureTool
from app.ui.plot.plot_actions import PlotActions
from app.ui.plot.plot_menu import PlotMenu
from app.ui.plot.spectrum_panel import SpectrumPanel
from app.ui.queue.queue_panel import QueuePanel
from app.ui.session_context import SessionContext
from app.ui.similar.similar_place import SimilarPlace
from app.ui.widgets.text_width import RoomForTabs, how_much_larger
from app.ui.windows.windows_row import WindowsRow

RAIL_BELOW_PX = 1500
"""In a narrower window the queue is a rail."""
QUEUE_PX, DRAWER_PX = 230, 270
"""Widths in text of the usual size; in larger text up to a quarter of the page each."""
LEAST_DRAWER_PX = 125
"""In text of the usual size: less would cut the name of a model in large text."""
WINDOWS_PX, TALL_WINDOWS_PX, TALL_PX = 104, 190, 900
"""Height of the row of windows: on usual pages, and on those taller than TALL_PX."""
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
DRAWER = ("agent", "guideline", "object", "evidence")
"""The docks that are tabs of one drawer at first."""
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


class JudgingPage(QWidget):
    layout_changed = Signal()
    """The person moved, floated or hid a dock."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        # Each part is made where it stays: Qt styles whatever is moved anew, with all in it.
        self.desk = QMainWindow(self)
        self.desk.setWindowFlags(Qt.WindowType.Widget)
        self._middle = QWidget(self.desk)
        self.plot = SpectrumPanel(context, self._middle)
        self.plot_actions = PlotActions(self.plot, context)
        self.measure = MeasureTool(self.plot, context)
        self.fit_tool = FitTool(self.plot, context, self.measure)
        self.plot_menu = PlotMenu(self.plot, context, self.measure, self.fit_tool)
        self.tools = ToolRow(context, self.plot)
        self._add_comparison()
        self.verdicts = VerdictBar(context, self)
        self.strip = KeyStrip(context.current_theme, self.plot)
        self.subclasses = SubclassKeys(context, self.strip, self)
        self.fields = FieldsRow(context, self.strip, self)
        context.commands.key_taker = ExtraKeys(self.strip, self.fields)
        self.repeat_line = RepeatLine(context, self._middle)
        self.known_answers = KnownAnswerNote(context, self)
        self.queue = QueuePanel(context)
        self.information = InformationPanel(context)
        self.nearby = NearbyPanel(context)
        self.guideline = GuidelinePanel(context)
        self.windows = WindowsRow(context, self.plot)
        self.agent = AgentPanel(context)
        self.evidence = EvidencePlace(context)
        self.similar = SimilarPlace(context, self.comparison)
        self.rail = QueueRail(context, self)
        self.docks = {
            "queue": self._dock("queue", self.tr("Queue"), self.queue, LEFT),
            "windows": self._dock("windows", self.tr("Windows"), self.windows, BOTTOM),
            "similar": self._dock("similar", self.tr("Similar spectra"), self.similar, BOTTOM),
            "agent": self._dock("agent", self.tr("Agent"), self.agent, RIGHT),
            "guideline": self._dock("guideline", self.tr("Guideline"), self.guideline, RIGHT),
            "object": self._dock("object", self.tr("Object"), self._object(), RIGHT),
            "evidence": self._dock("evidence", self.tr("Evidence"), self.evidence, RIGHT),
        }
        # Widgets are not moved while Qt lays them out, which ends in a crash.
        self._arranging = QTimer(self, singleShot=True, interval=0)
        self._arranging.timeout.connect(self._arrange)
        self._hidden_by_key: QByteArray | None = None
        self._is_bare = False
        self._has_sizes = False
        """Whether the docks have their first sizes, or those that the person gave them."""
        self._lay_out()
        self.sheet = QueueSheet(self)
        self.queue.row_menu.compare_requested.connect(self.comparison.add)
        self.rail.clicked.connect(self.show_queue)
        self.sheet.closed.connect(self.focus_plot)
        self.plot.use_templates(self.tools.templates)
        context.commands.add("panels", self.toggle_panels)
        context.commands.add("queue", self.show_queue)
        context.commands.add("show_guideline", self.show_guideline)
        context.commands.add("show_evidence", self.show_evidence)
        context.commands.add("show_similar", self.show_similar)
        context.commands.add("reset_panels", self.reset)
        context.commands.ran.connect(self._command_ran)
        self.plot_menu.look_chosen.connect(self._show_agent)
        self.docks["evidence"].visibilityChanged.connect(self.evidence.note_visibility)
        self.docks["similar"].visibilityChanged.connect(self.similar.note_visibility)
        self.agent.takeover.handed_back.connect(self.focus_plot)

    @property
    def shows_panels(self) -> bool:
        return self._hidden_by_key is None

    def toggle_panels(self) -> None:
        """Go from all panels to plot and windows, then to the plot alone, then back."""
        if not self.isVisible():
            return
        if self._hidden_by_key is None:
            self._hidden_by_key = self.desk.saveState()
            self._show_docks({"windows"})
        elif not self._is_bare:
            self._is_bare = True
            self._show_docks(set())
        else:
            self.show_panels()
        self._arrange_queue()
        self.focus_plot()  # else a text field may get the focus

    def show_guideline(self) -> None:
        self.docks["guideline"].show()
        self.docks["guideline"].raise_()

    def show_evidence(self) -> None:
        """Show the evidence, or the agent again where it is shown."""
        self.show_panels()
        dock = self.docks["evidence"]
        if dock.isVisible() and self.evidence.is_seen():
            self.docks["agent"].raise_()
            return
        dock.show()
        dock.raise_()

    def show_similar(self) -> None:
        """Show the strip of similar spectra below the plot, or hide it again."""
        self.show_panels()
        self.docks["similar"].setVisible(not self.docks["similar"].isVisible())

    def show_panels(self) -> None:
        """Show the docks as they were before they were hidden by a key."""
        if self._hidden_by_key is not None:
            state, self._hidden_by_key = self._hidden_by_key, None
            self._is_bare = False
            self.desk.restoreState(state)
            self._arrange_queue()

    def show_queue(self) -> None:
        """Show the queue, wherever it is; on a small window a second press hides it."""
        self.show_panels()
        if not self.has_rail:
            self.docks["queue"].show()
            self.docks["queue"].raise_()
        elif self.sheet.isVisible():
            self.sheet.close_sheet()
        else:
            self.sheet.open_beside(self.rail)

    @property
    def is_at_agent(self) -> bool:
        """Whether the mouse or the focus is in the agent's panel."""
        focus = QApplication.focusWidget()
        return self.agent.underMouse() or (focus is not None and self.agent.isAncestorOf(focus))

    def panel_actions(self) -> list[QAction]:
        """Actions that show and hide the docks."""
        names = [name for name in self.docks if name != "queue" or not self.has_rail]
        return [self.docks[name].toggleViewAction() for name in names]

    @property
    def queue_place(self) -> QWidget:
        """Where a person finds the queue."""
        return self.rail if self.has_rail else self.queue

    @property
    def has_rail(self) -> bool:
        return self.width() < RAIL_BELOW_PX and not self.docks["queue"].isFloating()

    def focus_plot(self) -> None:
        self.plot.setFocus(Qt.FocusReason.OtherFocusReason)

    def state(self) -> QByteArray:
        """Where the docks are."""
        return self._hidden_by_key or self.desk.saveState()

    def restore(self, state: QByteArray) -> None:
        self._has_sizes = self.desk.restoreState(state)
        self._arrange_queue()

    def reset(self) -> None:
        """Put the docks back to where they were at first."""
        self._hidden_by_key = None
        self.desk.restoreState(self._first_state)
        self._size_docks()
        self._arrange_queue()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sheet.close_sheet()
        self._arranging.start()

    def _arrange(self) -> None:
        if not self._has_sizes and self.isVisible():
            self._has_sizes = True
            self._size_docks()
        self._arrange_queue()

    def _lay_out(self) -> None:
        self.desk.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks
        )
        self.desk.setTabPosition(RIGHT, QTabWidget.TabPosition.North)
        for corner, area in (
            (Qt.Corner.BottomLeftCorner, LEFT),
            (Qt.Corner.BottomRightCorner, RIGHT),
        ):
            self.desk.setCorner(corner, area)
        self._fill_middle()
        self.desk.setCentralWidget(self._middle)
        for name in DRAWER[1:]:
            self.desk.tabifyDockWidget(self.docks["agent"], self.docks[name])
        # A fourth tab would make the column wider in large text: it comes with its key or menu.
        self.docks["evidence"].hide()
        windows, similar = self.docks["windows"], self.docks["similar"]
        self.desk.splitDockWidget(windows, similar, Qt.Orientation.Vertical)
        similar.hide()
        drawer = [self.docks[name].windowTitle() for name in DRAWER if name != "evidence"]
        RoomForTabs(self.agent, drawer, LEAST_DRAWER_PX)
        self.docks["agent"].raise_()
        self._first_state = self.desk.saveState()
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(self.desk, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(middle, 1)
        whole.addWidget(self.fields)
        whole.addWidget(self.verdicts)

    def _dock(self, name: str, title: str, part: QWidget, area: Qt.DockWidgetArea) -> Dock:
        dock = Dock(name, title, part, self._context.current_theme, self.desk)
        self.desk.addDockWidget(area, dock)
        dock.dockLocationChanged.connect(self._layout_changed)
        dock.topLevelChanged.connect(self._layout_changed)
        dock.visibilityChanged.connect(self._layout_changed)
        return dock

    def _size_docks(self) -> None:
        larger, most = how_much_larger(self), self.width() // 4
        widths = {"queue": QUEUE_PX, "agent": DRAWER_PX}
        fitting = [max(min(round(px * larger), most), px) for px in widths.values()]
        docks: list[QDockWidget] = [self.docks[name] for name in widths]
        self.desk.resizeDocks(docks, fitting, Qt.Orientation.Horizontal)
        height = WINDOWS_PX if self.height() < TALL_PX else TALL_WINDOWS_PX
        self.desk.resizeDocks([self.docks["windows"]], [height], Qt.Orientation.Vertical)

    def _object(self) -> QWidget:
        part = QWidget()
        layout = QVBoxLayout(part)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.information, 3)
        layout.addWidget(self.nearby, 1)
        return part

    def _add_comparison(self) -> None:
        self.comparison = ComparedSpectra(self._context, self)
        self.overlays = OverlayCurves(self.comparison, self.plot, self._context)
        self.ratio = RatioPanel(self.comparison, self.plot, self._context)
        self.compare = ComparisonControl(self.comparison, self.ratio, self._context)
        self.plot.add_below(self.ratio)
        compare, title = self.compare, self.tr("Compare with other spectra")
        self.tools.add("compare", title, compare, compare.button_text, compare.is_on)
        self.comparison.changed.connect(self.tools.refresh)
        self.ratio.mode_changed.connect(self.tools.refresh)

    def _fill_middle(self) -> None:
        layout = QVBoxLayout(self._middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.plot.top_row.addWidget(self.tools)
        layout.addWidget(self.repeat_line)
        layout.addWidget(self.plot, 1)

    def _show_docks(self, names: set[str]) -> None:
        for name, dock in self.docks.items():
            dock.setVisible(name in names)

    def _arrange_queue(self) -> None:
        """Put the queue into its dock, or on a small window into the sheet of the rail."""
        dock, is_rail = self.docks["queue"], self.has_rail
        self.rail.setVisible(is_rail and self.shows_panels)
        if is_rail and dock.widget() is self.queue:
            self.sheet.inside.addWidget(self.queue)
            dock.hide()
        elif not is_rail and dock.widget() is not self.queue:
            self.sheet.close_sheet()
            dock.setWidget(self.queue)
            dock.setVisible(self.shows_panels)

    def _show_agent(self) -> None:
        self.docks["agent"].show()
        self.docks["agent"].raise_()

    def _command_ran(self, name: str) -> None:
        if name == "escape":
            self.sheet.close_sheet()

    def _layout_changed(self, *_: object) -> None:
        self.layout_changed.emit()
