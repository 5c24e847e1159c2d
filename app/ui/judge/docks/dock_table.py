"""The docks of the judging page: what is in each, where it lies at first, what shows it.

To add one, add its entry to DOCKS. It is then in the menu of panels and in the saved layout, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt
from PySide6.QtWidgets import QWidget

from app.ui.judge.agent.agent_panel import AgentPanel
from app.ui.judge.comparison.compared_spectra import ComparedSpectra
from app.ui.judge.controls.guideline_panel import GuidelinePanel
from app.ui.judge.diagnostic_windows.windows_row import WindowsRow
from app.ui.judge.evidence.evidence_dock import EvidencePlace
from app.ui.judge.information.information_panel import InformationPanel
from app.ui.judge.information.nearby_panel import NearbyPanel
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.judge.similar.similar_place import SimilarPlace
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column

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


def _object(site: DockSite) -> QWidget:
    panel = QWidget()
    information, nearby = InformationPanel(site.context), NearbyPanel(site.context)
    column((information, 3), (nearby, 1), spacing=4, parent=panel)
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
        lambda site: GuidelinePanel(site.context),
        RIGHT,
        command="show_guideline",
    ),
    DockEntry("object", str(QT_TRANSLATE_NOOP("docks", "Object")), _object, RIGHT),
    # A fourth tab would make the column wider in large text: it comes with its key or menu.
    DockEntry(
        "evidence",
        str(QT_TRANSLATE_NOOP("docks", "Evidence")),
        lambda site: EvidencePlace(site.context),
        RIGHT,
        is_open=False,
        command="show_evidence",
        showing=Showing.SWITCH,
    ),
)
