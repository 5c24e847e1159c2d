"""The docks around the plot: hidden by keys, moved and kept; narrow windows fold the queue."""

from functools import partial

from PySide6.QtCore import (
    QByteArray,
    QCoreApplication,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QFrame,
    QMainWindow,
    QSizePolicy,
    QTabWidget,
    QWidget,
)

from app.ui.judge.docks.dock_table import (
    AGENT,
    BOTTOM,
    DOCKS,
    LEFT,
    QUEUE,
    RIGHT,
    WINDOWS,
    DockEntry,
    DockSite,
    LatePlace,
    Showing,
)
from app.ui.session.session_context import SessionContext
from app.ui.widgets.dock import Dock
from app.ui.widgets.labels import column, keep_current, row
from app.ui.widgets.painted_button import hint
from app.ui.widgets.text_width import RoomForTabs, how_much_larger

FOLDED_BELOW_PX = 1500  # in a narrower window the queue is behind a button
LEAST_COLUMN_PX = 125
"""Of the docks on the right, in text of the usual size: less would cut the name of a model."""
TALL_PX = 900  # pages above this height are tall
BUTTON_PX = 30
POPUP_PX = 340  # in text of the usual size


class DockArea(QWidget):
    """Made in two steps: the middle is made in `dock_window`, then `fill` adds the docks."""

    layout_changed = Signal()  # the person moved, floated or hid a dock

    def __init__(self, context: SessionContext, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._page = context, page
        # Each part is made where it stays: Qt styles whatever is moved anew, with all in it.
        self.dock_window = QMainWindow(self)
        self.dock_window.setWindowFlags(Qt.WindowType.Widget)
        self.docks: dict[str, Dock] = {}
        # Widgets are not moved while Qt lays them out, which ends in a crash.
        self._arranging = QTimer(self, singleShot=True, interval=0)
        self._arranging.timeout.connect(self._arrange)
        self._hidden_by_key: QByteArray | None = None
        self._before_aside: QByteArray | None = None
        """How the docks were before the row of windows gave way to the plot."""
        self._is_bare = False
        self._text_pt = self.font().pointSizeF()
        self._sized_for = self._text_pt
        self._widths: dict[float, dict[str, int]] = {}
        """Widths of the docks by the size of text for which the person saw them."""
        self._has_sizes = False
        """Whether the docks have their first sizes, or those that the person gave them."""

    def fill(self, middle: QWidget, site: DockSite) -> None:
        self._focus_plot = site.focus_plot
        self.queue_button = QueueButton(self._context, self)
        for entry in DOCKS:
            self.docks[entry.name] = self._dock(entry, entry.make(site))
        self._lay_out(middle)
        self.queue_popup = QueuePopup(self)
        self.queue_button.clicked.connect(self.show_queue)
        self.queue_popup.closed.connect(self._focus_plot)
        commands = self._context.commands
        commands.add("panels", self.toggle_panels)
        commands.add("queue", self.show_queue)
        commands.add("reset_panels", self.reset)
        commands.ran.connect(self._command_ran)
        for entry in DOCKS:
            if entry.command:
                commands.add(entry.command, partial(self._show_by_command, entry))

    def stop(self) -> None:
        for dock in self.docks.values():
            if isinstance(dock.part, LatePlace):
                dock.part.stop()

    @property
    def shows_panels(self) -> bool:
        return self._hidden_by_key is None

    def toggle_panels(self) -> None:
        """Go from all panels to plot and windows, then to the plot alone, then back."""
        if not self._page.isVisible():
            return
        if self._hidden_by_key is None:
            self._hidden_by_key = self.dock_window.saveState()
            for entry in DOCKS:
                self.docks[entry.name].setVisible(entry.stays and self._before_aside is None)
        elif not self._is_bare:
            self._is_bare = True
            for dock in self.docks.values():
                dock.hide()
        else:
            self.show_panels()
        self._arrange_queue()
        self._focus_plot()  # else a text field may get the focus

    def show_panels(self) -> None:
        """Show the docks as they were before they were hidden by a key."""
        if self._hidden_by_key is not None:
            state, self._hidden_by_key = self._hidden_by_key, None
            self._is_bare = False
            self.dock_window.restoreState(state)
            self._arrange_queue()

    def set_windows_aside(self, is_aside: bool) -> bool:
        """Let the row of windows give way to the plot, or bring it back; whether that changed."""
        dock = self.docks[WINDOWS.name]
        if is_aside and dock.isVisible() and not dock.isFloating():
            self._before_aside = self._before_aside or self.dock_window.saveState()
            dock.hide()
            return True
        if not is_aside and self._before_aside is not None:
            self._before_aside = None
            dock.setVisible(not self._is_bare)
            return True
        return False

    def show_dock(self, name: str) -> None:
        self.docks[name].show()
        self.docks[name].raise_()

    def show_queue(self) -> None:
        """Show the queue, wherever it is; on a small window a second press hides it."""
        self.show_panels()
        if not self.queue_is_folded:
            self.show_dock(QUEUE.name)
        elif self.queue_popup.isVisible():
            self.queue_popup.close_popup()
        else:
            self.queue_popup.open_beside(self.queue_button)

    def is_at(self, name: str) -> bool:
        """Whether the mouse or the focus is in the panel of this dock."""
        part, focus = self.docks[name].part, QApplication.focusWidget()
        return part.underMouse() or (focus is not None and part.isAncestorOf(focus))

    def panel_actions(self) -> list[QAction]:
        names = [name for name in self.docks if name != QUEUE.name or not self.queue_is_folded]
        return [self.docks[name].toggleViewAction() for name in names]

    @property
    def queue_place(self) -> QWidget:
        """Where a person finds the queue."""
        return self.queue_button if self.queue_is_folded else self.docks[QUEUE.name].part

    @property
    def queue_is_folded(self) -> bool:
        return self._page.width() < FOLDED_BELOW_PX and not self.docks[QUEUE.name].isFloating()

    def state(self) -> QByteArray:
        return self._before_aside or self._hidden_by_key or self.dock_window.saveState()

    def restore(self, state: QByteArray) -> None:
        self._has_sizes = self.dock_window.restoreState(state)
        self._arrange_queue()

    def reset(self) -> None:
        self._hidden_by_key, self._widths = None, {}
        self.dock_window.restoreState(self._first_state)
        self._size_docks()
        self._arrange_queue()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.docks:
            wide = [entry for entry in DOCKS if entry.width_px]
            widths = {each.name: self.docks[each.name].width() for each in wide}
            self._widths[self._text_pt], self._text_pt = widths, self.font().pointSizeF()
            self._arranging.start()

    def page_resized(self) -> None:
        self.queue_popup.close_popup()
        self._arranging.start()

    def _arrange(self) -> None:
        if not self._has_sizes and self.isVisible():
            self._has_sizes = True
            self._size_docks()
        elif self._sized_for != self._text_pt:
            self._set_widths()
        self._sized_for = self._text_pt
        self._arrange_queue()

    def _dock(self, entry: DockEntry, part: QWidget) -> Dock:
        title = QCoreApplication.translate("docks", entry.title)
        dock = Dock(entry.name, title, part, self._context.current_theme, self.dock_window)
        self.dock_window.addDockWidget(entry.area, dock)
        for changed in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
            changed.connect(self.layout_changed)
        return dock

    def _lay_out(self, middle: QWidget) -> None:
        window = self.dock_window
        allowed = QMainWindow.DockOption
        window.setDockOptions(allowed.AllowTabbedDocks | allowed.AllowNestedDocks)
        window.setTabPosition(RIGHT, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        window.setCentralWidget(middle)
        for area in (LEFT, RIGHT, BOTTOM):
            first, *others = (self.docks[entry.name] for entry in DOCKS if entry.area is area)
            for dock in others:
                if area is BOTTOM:
                    window.splitDockWidget(first, dock, Qt.Orientation.Vertical)
                else:
                    window.tabifyDockWidget(first, dock)
        for entry in DOCKS:
            if not entry.is_open:
                self.docks[entry.name].hide()
        tabs = [self.docks[each.name] for each in DOCKS if each.area is RIGHT and each.is_open]
        RoomForTabs(tabs[0].part, [dock.windowTitle() for dock in tabs], LEAST_COLUMN_PX)
        tabs[0].raise_()
        self._first_state = window.saveState()
        for dock in self.docks.values():
            if isinstance(dock.part, LatePlace):
                dock.visibilityChanged.connect(dock.part.note_visibility)
        row(self.queue_button, (window, 1), spacing=0, parent=self)

    def _size_docks(self) -> None:
        self._set_widths()
        for entry in DOCKS:
            if entry.heights_px is not None:
                height = entry.heights_px[self._page.height() >= TALL_PX]
                dock = self.docks[entry.name]
                self.dock_window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def _set_widths(self) -> None:
        """As they were when the text had this size, or as that size asks for."""
        larger, most = how_much_larger(self), self._page.width() // 4
        before = self._widths.get(self._text_pt, {})
        wide = [entry for entry in DOCKS if entry.width_px]
        usual = {
            each.name: max(min(round(each.width_px * larger), most), each.width_px) for each in wide
        }
        docks: list[QDockWidget] = [self.docks[entry.name] for entry in wide]
        widths = [before.get(each.name, usual[each.name]) for each in wide]
        self.dock_window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    def _arrange_queue(self) -> None:
        """Put the queue into its dock, or on a small window behind its button."""
        dock, is_folded = self.docks[QUEUE.name], self.queue_is_folded
        self.queue_button.setVisible(is_folded and self.shows_panels)
        if is_folded and dock.widget() is dock.part:
            self.queue_popup.inside.addWidget(dock.part)
            dock.hide()
        elif not is_folded and dock.widget() is not dock.part:
            self.queue_popup.close_popup()
            dock.setWidget(dock.part)
            dock.setVisible(self.shows_panels)

    def _show_by_command(self, entry: DockEntry) -> None:
        dock = self.docks[entry.name]
        if entry.showing is not Showing.FRONT:
            self.show_panels()
        if entry.showing is Showing.TOGGLE:
            dock.setVisible(not dock.isVisible())
        elif entry.showing is Showing.SWITCH and dock.is_seen():
            self.show_dock(next(each.name for each in DOCKS if each.area is entry.area))
        else:
            self.show_dock(entry.name)

    def _command_ran(self, name: str) -> None:
        if name == "escape":
            self.queue_popup.close_popup()
        elif name == "run_agent" and self.shows_panels:
            self.show_dock(AGENT.name)


# On a small window the queue is a narrow button; pressed, the queue slides over the plot.
class QueueButton(QAbstractButton):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme, self._keymap = context.current_theme, context.keymap
        self.setText(self.tr("Queue"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        context.current_theme.changed.connect(self.update)
        keep_current(self._show_key, context.keymap.changed)

    def sizeHint(self) -> QSize:
        return QSize(max(BUTTON_PX, self.fontMetrics().height() + 8), 200)

    def _show_key(self) -> None:
        self.setToolTip(hint(self.text(), self._keymap, "queue"))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, QPainter(self)
        is_lit = self.underMouse() or self.isDown()
        painter.fillRect(self.rect(), QColor(theme.border if is_lit else theme.window))
        painter.setPen(QColor(theme.text))
        line = self.fontMetrics().height()
        painter.drawText(QRect(0, 8, self.width(), line), Qt.AlignmentFlag.AlignCenter, "☰")
        painter.translate(self.width() / 2, line + 18)
        painter.rotate(90)
        width = self.fontMetrics().horizontalAdvance(self.text())
        room = QRect(0, -self.width() // 2, width + 4, self.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.text())


class QueuePopup(QFrame):
    """The queue over the plot; it goes when the person presses elsewhere."""

    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.inside = column(margins=4, parent=self)
        self.hide()

    def open_beside(self, button: QWidget) -> None:
        owner, application = self.parentWidget(), QApplication.instance()
        assert owner is not None and application is not None
        left = button.mapTo(owner, QPoint(button.width(), 0)).x()
        width = min(round(POPUP_PX * how_much_larger(self)), owner.width() - left)
        self.setGeometry(left, 0, width, button.height())
        self.show()
        self.raise_()
        application.installEventFilter(self)

    def close_popup(self) -> None:
        if (application := QApplication.instance()) is not None:
            application.removeEventFilter(self)
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.MouseButtonPress or not isinstance(event, QMouseEvent):
            return False
        at = event.globalPosition().toPoint()
        is_inside = self.rect().contains(self.mapFromGlobal(at))
        is_popup = QApplication.activePopupWidget() is not None
        if isinstance(watched, QWidget) and not is_inside and not is_popup:
            self.close_popup()
        return False
