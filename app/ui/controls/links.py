"""Buttons that save the plot, copy its range, and open web pages about the object."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QWidget

from app.ui.controls.web_pages import NO_OBSID, PAGES, SIMULATED, WebPage, identify
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, column, row, with_key


class Links(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._keymap = context.current, context.keymap
        self.picture, self.copy = button(""), button("")
        self.pages = {
            "open_simbad": button("SIMBAD"),
            "open_aladin": button("Aladin"),
            "open_lamost": button("LAMOST"),
            "open_sdss": button("SDSS"),
        }
        layout = column(row(self.picture, self.copy), spacing=4, parent=self)
        grid = QGridLayout()
        grid.setSpacing(4)
        for number, (action, each) in enumerate(self.pages.items()):
            grid.addWidget(each, number // 4, number % 4)
            each.clicked.connect(partial(self.open_page, action))
            context.commands.add(action, partial(self.open_page, action))
        layout.addLayout(grid)
        self.picture.clicked.connect(partial(context.commands.run, "snapshot"))
        self.copy.clicked.connect(partial(context.commands.run, "copy_range"))
        context.current.candidate_changed.connect(self._show)
        context.current.spectrum_changed.connect(self._show)
        context.keymap.changed.connect(self._show_keys)
        self._show_keys()
        self._show()

    def page(self, action: str) -> WebPage:
        """The web page about the current object, or why there is none."""
        candidate = self._current.candidate
        if candidate is None:
            return WebPage(missing="nothing")
        return PAGES[action](identify(candidate, self._current.spectrum))

    def open_page(self, action: str, *_: object) -> None:
        page = self.page(action)
        if not page.url:
            self._current.message.emit(self._why_not(page))
            return
        if not QDesktopServices.openUrl(QUrl(page.url, QUrl.ParsingMode.StrictMode)):
            message = self.tr("No web browser could be opened. The address is {url}")
            self._current.message.emit(message.replace("{url}", page.url))

    def _show(self, *_: object) -> None:
        for action, each in self.pages.items():
            page = self.page(action)
            each.setEnabled(bool(page.url))
            each.setToolTip(page.url or self._why_not(page))
            each.setAccessibleDescription(each.toolTip())

    def _why_not(self, page: WebPage) -> str:
        if page.missing == SIMULATED:
            return self.tr("This spectrum is simulated, so there is no web page about it")
        if page.missing == NO_OBSID:
            return self.tr("Neither the list nor the file gives a LAMOST obsid")
        if self._current.candidate is None:
            return self.tr("No object selected")
        return self.tr("Neither the list nor the file gives a sky position")

    def _show_keys(self) -> None:
        self.picture.setText(with_key(self.tr("Save picture"), self._keymap.label("snapshot")))
        self.copy.setText(with_key(self.tr("Copy range"), self._keymap.label("copy_range")))
