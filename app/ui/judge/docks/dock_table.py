"""The docks of the judging page: what is in each, where it lies at first, what shows it.

To add one, add its entry to DOCKS. It is then in the menu of panels and in the saved layout, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.core.queue import Sort
from app.ui.judge.agent.agent_panel import AgentPanel
from app.ui.judge.comparison.compared_spectra import ComparedSpectra
from app.ui.judge.controls.guideline_panel import GuidelinePanel
from app.ui.judge.diagnostic_windows.windows_row import WindowsRow
from app.ui.judge.information.information_panel import InformationPanel
from app.ui.judge.information.nearby_panel import NearbyPanel
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.judge.similar.similar_feed import SimilarFeed
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.dock import Dock
from app.ui.widgets.labels import column, one_line

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


class Showing(Enum):
    """What the command of a dock does."""

    FRONT = auto()  # brings it to the front
    SWITCH = auto()  # brings it to the front, or where it is there already, the first tab again
    TOGGLE = auto()  # shows it, or hides it again


@dataclass(frozen=True, eq=False)
class DockSite:
    """What the panels in the docks are made from."""

    context: SessionContext
    plot: SpectrumPanel
    comparison: ComparedSpectra
    focus_plot: Callable[[], None]


@dataclass(frozen=True)
class DockEntry:
    """One dock. Those on the right are tabs of one column at first, the first of them in front."""

    name: str  # in saved layouts: it stays
    title: str  # in English; the window translates it in the context "docks"
    make: Callable[[DockSite], QWidget]
    area: Qt.DockWidgetArea
    is_open: bool = True  # whether it is there at first; else it comes with its command or menu
    command: str = ""  # the id of the action that shows it
    showing: Showing = Showing.FRONT
    stays: bool = False  # whether it is still there when a key has hidden the panels once
    width_px: int = 0
    """In text of the usual size; in larger text up to a quarter of the page. 0: as it comes."""
    heights_px: tuple[int, int] | None = None  # on usual pages, and on tall ones


def _queue(site: DockSite) -> QWidget:
    panel = QueuePanel(site.context)
    panel.row_menu.compare_requested.connect(site.comparison.add)
    return panel


def _agent(site: DockSite) -> QWidget:
    panel = AgentPanel(site.context)
    panel.takeover.handed_back.connect(site.focus_plot)
    return panel


def _object(site: DockSite, place: QWidget) -> QWidget:
    panel = QWidget(place)
    information, nearby = InformationPanel(site.context), NearbyPanel(site.context)
    column((information, 3), (nearby, 1), spacing=4, parent=panel)
    return panel


def _evidence(site: DockSite, place: LatePlace) -> QWidget:
    from app.ui.judge.evidence.evidence_panel import EvidencePanel

    panel = EvidencePanel(site.context, place.dock, place.dock.is_seen, place)
    place.dock.visibilityChanged.connect(panel.note_visibility)
    place.stopping.connect(panel.stop)
    return panel


QUEUE = DockEntry("queue", str(QT_TRANSLATE_NOOP("docks", "Queue")), _queue, LEFT, width_px=270)
"""On a small window it is behind a button: see `QueueButton`."""
AGENT = DockEntry("agent", str(QT_TRANSLATE_NOOP("docks", "Agent")), _agent, RIGHT, width_px=270)
WINDOWS = DockEntry(
    "windows",
    str(QT_TRANSLATE_NOOP("docks", "Windows")),
    lambda site: WindowsRow(site.context, site.plot),
    BOTTOM,
    stays=True,
    heights_px=(104, 190),
)
DOCKS = (
    QUEUE,
    WINDOWS,
    DockEntry(
        "similar",
        str(QT_TRANSLATE_NOOP("docks", "Similar spectra")),
        lambda site: SimilarPlace(site.context, site.comparison),
        BOTTOM,
        is_open=False,
        command="show_similar",
        showing=Showing.TOGGLE,
    ),
    AGENT,
    DockEntry(
        "guideline",
        str(QT_TRANSLATE_NOOP("docks", "Guideline")),
        lambda site: LatePlace(partial(GuidelinePanel, site.context)),
        RIGHT,
        command="show_guideline",
    ),
    DockEntry(
        "object",
        str(QT_TRANSLATE_NOOP("docks", "Object")),
        lambda site: LatePlace(partial(_object, site)),
        RIGHT,
    ),
    # A fourth tab would make the column wider in large text: it comes with its key or menu.
    DockEntry(
        "evidence",
        str(QT_TRANSLATE_NOOP("docks", "Evidence")),
        lambda site: LatePlace(partial(_evidence, site)),
        RIGHT,
        is_open=False,
        command="show_evidence",
        showing=Showing.SWITCH,
    ),
)


class LatePlace(QWidget):
    """Holds a panel that is made when it is first seen, as most lists do without it.

    Call `stop` before the session is closed.
    """

    stopping = Signal()

    def __init__(self, make: Callable[[LatePlace], QWidget]) -> None:
        super().__init__()
        self.panel: QWidget | None = None
        self._make = make
        self._is_stopped = False
        self._inside = column(parent=self)
        # Not in the turn in which Qt lays the docks out.
        self._making = QTimer(self, singleShot=True, interval=0)
        self._making.timeout.connect(self._fill)

    @property
    def dock(self) -> Dock:
        dock = self.parentWidget()
        assert isinstance(dock, Dock)
        return dock

    def note_visibility(self, is_on_top: bool) -> None:
        """The dock has come to the front of its tabs, or gone."""
        if is_on_top and self.panel is None and not self._is_stopped:
            self._making.start()

    def stop(self) -> None:
        self._is_stopped = True
        self._making.stop()
        self.stopping.emit()

    def _fill(self) -> None:
        if self.dock.is_seen():  # nobody may see it any more
            self.panel = self._make(self)
            self._inside.addWidget(self.panel)


BEGIN_MS = 300  # so that the window is on screen first


class SimilarPlace(LatePlace):
    """Reads no spectra until the strip or the order by likeness is wanted."""

    def __init__(self, context: SessionContext, comparison: ComparedSpectra) -> None:
        super().__init__(self._make_panel)
        self._context, self._comparison, self._current = context, comparison, context.current
        self.feed = SimilarFeed(context, self)
        self._beginning = QTimer(self, singleShot=True, interval=BEGIN_MS)
        self._beginning.timeout.connect(self.feed.begin)
        self.feed.ended.connect(self._order_anew)
        self._current.queue_changed.connect(self._queue_changed)
        context.commands.add("more_like_this", self.more_like_this)

    def more_like_this(self) -> None:
        candidate = self._current.candidate
        if candidate is None:
            self._current.message.emit(self.tr("No object selected"))
            return
        if self._current.set_queue(self._current.queue.tree, Sort("like", like=candidate.id)):
            text = self.tr("The queue shows the spectra most like {name} first")
            self._current.message.emit(text.replace("{name}", one_line(candidate.name)))

    def note_visibility(self, is_on_top: bool) -> None:
        super().note_visibility(is_on_top)
        if is_on_top and not self._is_stopped:
            self._beginning.start()

    def stop(self) -> None:
        super().stop()
        self._beginning.stop()
        self.feed.stop()

    def _make_panel(self, place: QWidget) -> QWidget:
        from app.ui.judge.similar.similar_panel import SimilarPanel

        return SimilarPanel(self._context, self._comparison, self.feed, place)

    def _queue_changed(self, queue: Queue) -> None:
        if queue.sort.key in ("like", "learned") and not self._is_stopped:
            self._beginning.start()

    def _order_anew(self) -> None:
        """All spectra are known now: the order by likeness is made anew."""
        self._current.likeness_known.emit()
        queue = self._current.queue
        if queue.sort.key == "like":
            self._current.set_queue(queue.tree, queue.sort)
