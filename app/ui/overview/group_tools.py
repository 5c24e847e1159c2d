"""What else is done with the selected candidates: run the agent on them, compare, export."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.comparison.compared_spectra import MOST
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import row
from app.ui.widgets.menu_actions import add_action
from app.ui.widgets.painted_button import quiet_button


class GroupTools(QWidget):
    """Only requests; the same requests are in the menu of the selected rows."""

    run_requested = Signal()
    stop_requested = Signal()
    compare_requested = Signal()
    export_requested = Signal()

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._list_run = context.agent.list_run
        self._is_read_only = context.bridge.session.is_read_only
        self._has_question = context.agent.has_question
        self._count = 0
        theme = context.current_theme
        self.run, self.compare, self.export = (quiet_button(theme, self) for _ in range(3))
        about = self.tr("Open the first of 2 to {n} selected spectra with the others over it")
        self.compare.set_label(self.tr("Compare"), hint=about.replace("{n}", str(MOST)))
        self.export.set_label(self.tr("Export"), hint=self.tr("Export the selected candidates"))
        row(self.run, self.compare, self.export, spacing=None, parent=self)
        self.run.clicked.connect(self._press_run)
        self.compare.clicked.connect(self.compare_requested)
        self.export.clicked.connect(self.export_requested)
        self._list_run.changed.connect(self._show_run)
        self.show_count(0)

    def show_count(self, selected: int) -> None:
        self._count = selected
        self.compare.setEnabled(2 <= selected <= MOST)
        self.export.setEnabled(selected > 1)
        self._show_run()

    def fill(self, menu: QMenu) -> None:
        """Add to the menu of a row what can be done with all selected ones."""
        if self._count < 2:
            return
        for button, text, signal in (
            (self.run, self.tr("Run the agent on the {n} selected"), self.run_requested),
            (self.compare, self.tr("Compare the {n} selected"), self.compare_requested),
            (self.export, self.tr("Export the {n} selected"), self.export_requested),
        ):
            is_run = button is self.run
            if button.isEnabled() and not (is_run and self._list_run.state.is_running):
                add_action(menu, text.replace("{n}", f"{self._count:,}"), signal.emit)
        menu.addSeparator()

    def _show_run(self, _: object = None) -> None:
        if self._list_run.state.is_running:
            self.run.set_label(self.tr("Stop the agent"), hint=self.tr("Stop the run of the agent"))
            self.run.setEnabled(not self._list_run.state.is_stopping)
        else:
            hint = self.tr("Run the agent on the selected candidates")
            self.run.set_label(self.tr("Run the agent"), hint=hint)
            can_run = self._has_question and not self._is_read_only
            self.run.setEnabled(can_run and self._count > 1)

    def _press_run(self) -> None:
        if self._list_run.state.is_running:
            self.stop_requested.emit()
        else:
            self.run_requested.emit()
