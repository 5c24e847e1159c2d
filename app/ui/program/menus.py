"""The menu bar: every action where people look for it, with its current keys."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu

from app.core.database.locations import shown_location
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.commands import Commands
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.program.session_view import SessionView
from app.ui.session.candidate.view_options import AXIS_SWITCHES
from app.ui.widgets.labels import add_action
from app.ui.widgets.text_width import OnEvent

LINE = ""  # a separator
MENUS: dict[str, tuple[str, ...]] = {
    str(QT_TRANSLATE_NOOP("menus", "File")): (
        *("open_list", "open_folder", "open_session", "open_archive", "find_in_folder"),
        *("fetch_missing", "other_class", "fields"),
        *("curation_room", "welcome", LINE),
        *("export", "report", "pack", LINE, "share_out", "merge", "hide_known", "study", LINE),
        *("snapshot", "save_spectrum", LINE),
        *("samp", "samp_list", "samp_row", "samp_selected", "samp_position", "samp_spectrum"),
        *(LINE, "settings", "services", LINE, "quit"),
    ),
    str(QT_TRANSLATE_NOOP("menus", "Edit")): (
        *("undo", "redo", LINE, "accept", "reject", "unsure", "take_proposal", LINE),
        *("accept_stay", "reject_stay", "unsure_stay", LINE, "reject_rest", "reject_below", LINE),
        *("confidence_4", "confidence_3", "confidence_2", "confidence_1", "confidence_0", LINE),
        *("accept_4", "accept_3", "unsure_2", "unsure_1", LINE),
        *("subclass", "subclass_previous", LINE),
        *("comment", "flags", "star", "comment_previous", "flags_previous", LINE, "copy_range"),
    ),
    str(QT_TRANSLATE_NOOP("menus", "List")): (
        *("next", "previous", LINE, "queue", "find", "filter", "only_mine", LINE),
        *("blind", "show_again"),
    ),
    str(QT_TRANSLATE_NOOP("menus", "Spectrum")): (
        *("next_window", "previous_window", "whole", "reset", "autoscale", LINE),
        *("zoom_in", "zoom_out", "pan_left", "pan_right", "peek", LINE),
        *("lines", "labels", "errors", "mask", "template", LINE),
        *("rest_axis", "axis_air", "axis_nm", "velocity_axis", LINE),
        *("flux_zero", "flux_log", "flux_normalised", "flux_f_nu", LINE),
        *("measure", "withdraw_measurement", "fit_gaussian", "fit_voigt", LINE),
        *("fit_velocity", "rank_templates", "overlay_epochs", "more_like_this", LINE),
        *("smooth_more", "smooth_less", "smooth_off", LINE),
        *("rv_up", "rv_down", "rv_up_fine", "rv_down_fine", LINE),
        *("open_simbad", "open_aladin", "open_lamost", "open_sdss"),
    ),
    str(QT_TRANSLATE_NOOP("menus", "Agent")): (
        *("run_agent", "pause_agent", "escape", "step", "reveal", LINE, "run_queue", LINE),
        *(*(f"rate_{score}" for score in range(6)), LINE, "agent_faults_page", "rating_room"),
    ),
    str(QT_TRANSLATE_NOOP("menus", "View")): (
        *("judging_page", "disagreement_page", "agreement_page", "history_page", "overview_page"),
        *(LINE, "show_guideline", "show_evidence", "show_similar"),
        *("panels", "reset_panels", "full_screen"),
    ),
    str(QT_TRANSLATE_NOOP("menus", "Help")): (
        *("help", "keys", "palette", "tour", LINE, "crash_reports", "about"),
    ),
}
"""Actions by menu; those of the diagnostic windows are in the row of windows."""

OPTIONS = ("lines", "labels", "errors", "mask", "rest_axis", "flux_zero", "flux_log")
MAX_RECENT = 10
MAX_NAME = 60


class MenuRow(QObject):
    """Fills the menus when they are opened, and has the top bar beside them where both fit.

    Keys appear only in the text of the entries, because the key filter handles them.
    """

    def __init__(
        self,
        window: QMainWindow,
        settings: SettingsStore,
        commands: Commands,
        keymap: Keymap,
        is_available: Callable[[str], bool],
        open_session: Callable[[Path | str], None],
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._commands = window, settings, commands
        self._keymap, self._is_available = keymap, is_available
        self._open_session = open_session
        self._view: SessionView | None = None
        self._bar = bar = window.menuBar()
        self._entries: list[QAction] = []
        self._recent = QMenu(QCoreApplication.translate("menus", "Recent sessions"), bar)
        self._panels = QMenu(QCoreApplication.translate("menus", "Panels"), bar)
        for title, names in MENUS.items():
            menu = QMenu(QCoreApplication.translate("menus", title), bar)
            bar.addMenu(menu)
            for name in names:
                self._add(menu, name)
            menu.aboutToShow.connect(self._fill)
            menu.aboutToHide.connect(self._leave_soon)
            menu.triggered.connect(self._run)
        # Widgets are not moved while Qt lays them out, which ends in a crash.
        self._placing = QTimer(self, singleShot=True, interval=0)
        self._placing.timeout.connect(self.place)
        OnEvent(window, self._placing.start, QEvent.Type.Resize)

    def _add(self, menu: QMenu, name: str) -> None:
        if name == LINE:
            menu.addSeparator()
            return
        if name not in ACTIONS:  # of a room that is not installed
            return
        entry = QAction(menu)
        entry.setData(name)
        menu.addAction(entry)
        self._entries.append(entry)
        if name == "open_session":
            menu.addMenu(self._recent)
        if name == "panels":
            menu.addMenu(self._panels)

    def _fill(self) -> None:
        for entry in self._entries:
            name = entry.data()
            key, title = self._keymap.label(name), ACTIONS[name].title
            entry.setText(f"{title}\t{key}" if key else title)
            entry.setEnabled(self._commands.can(name) and self._is_available(name))
            is_on = self.is_checked(name)
            entry.setCheckable(is_on is not None)
            entry.setChecked(bool(is_on))
        self._panels.clear()
        if self._view is not None:
            self._panels.addActions(self._view.judging.dock_area.panel_actions())
        self._panels.setEnabled(not self._panels.isEmpty())
        self._recent.clear()
        for location in self._settings.settings.recent[:MAX_RECENT]:
            place = shown_location(location) if "://" in location else Path(location)
            name = place if isinstance(place, str) else place.stem
            add_action(self._recent, name[:MAX_NAME], partial(self._open_session, place))
        self._recent.setEnabled(not self._recent.isEmpty())

    def _leave_soon(self) -> None:
        QTimer.singleShot(0, self, self._leave)  # the next menu may be about to open

    def _leave(self) -> None:
        """Give the keys back after Esc in a menu; Qt waits for a second Esc."""
        if self._bar.hasFocus() and QApplication.activePopupWidget() is None:
            key, held = Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier
            QApplication.sendEvent(self._bar, QKeyEvent(QEvent.Type.KeyPress, key, held))

    def _run(self, entry: QAction) -> None:
        if entry.data():
            self._commands.run(entry.data())

    def is_checked(self, name: str) -> bool | None:
        """Whether what the action switches is on; None if it switches nothing."""
        view = self._view
        if name == "full_screen":
            return self._window.isFullScreen()
        if name == "samp":
            return self._settings.settings.samp
        if view is None:
            return None
        if name == "blind":
            return view.context.current.blind_mode.is_on
        options = view.context.view.options
        if name == "template":
            return bool(options.template)
        if name == "velocity_axis":
            return options.velocity_line is not None
        if name in AXIS_SWITCHES:
            option, value = AXIS_SWITCHES[name]
            return bool(getattr(options, option) == value)
        return getattr(options, name) if name in OPTIONS else None

    def place(self) -> None:
        """Put the top bar beside the menus if both fit, else below them."""
        view, bar = self._view, self._bar
        if view is None:
            return
        menus = bar.actionGeometry(bar.actions()[-1]).right()
        needed = menus + view.top.sizeHint().width()
        if needed <= self._window.width() and not bar.isNativeMenuBar():
            bar.setCornerWidget(view.top)  # again, too: its wanted size may have changed
            view.top.show()
        else:
            self._take_out(view)

    def follow(self, view: SessionView) -> None:
        """Place the top bar of a new session, and again whenever it wants another size."""
        self._view = view
        OnEvent(view.top, self._placing.start, QEvent.Type.Resize, QEvent.Type.LayoutRequest)
        self.place()

    def leave(self) -> None:
        """Give the top bar back to its session, which is about to close."""
        if self._view is not None:
            self._take_out(self._view)
            self._view = None

    def _take_out(self, view: SessionView) -> None:
        if self._bar.cornerWidget() is view.top:
            self._bar.setCornerWidget(None)  # type: ignore[arg-type]
            view.take_top_bar()
