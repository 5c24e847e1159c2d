"""The guide in a window of its own, beside the one where the work is done."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.help.browser import GuideBrowser
from app.ui.help.pages import GuidePage, guide, page_at
from app.ui.theme.theme import CurrentTheme

SIZE = 980, 720
LIST_PX = 216
MOST_REMEMBERED = 200
LONGEST_SEARCH = 200


class GuideReader(QDialog):
    """Opens at a page by its name. Links between pages stay here; those to the web are given to
    the web browser, and only when they are clicked."""

    def __init__(
        self, language: str, current_theme: CurrentTheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setWindowTitle(self.tr("Guide"))
        self._current_theme = current_theme
        self.pages = guide(language)
        self._been: list[tuple[GuidePage, int]] = []
        """Pages one came from, and how far down they were."""
        self.list = QListWidget()
        self.search = QLineEdit(maxLength=LONGEST_SEARCH)
        self.found = QLabel()
        self.back = QPushButton("←")
        self.browser = GuideBrowser(current_theme)
        self._at = -1
        self._lay_out()
        self._add_keys()
        self.list.currentRowChanged.connect(self._choose)
        self.search.textChanged.connect(self._look_for)
        self.search.returnPressed.connect(self.next_found)
        self.back.clicked.connect(self.go_back)
        self.browser.followed.connect(self.follow)
        current_theme.changed.connect(self._shade_list)

    @property
    def page(self) -> GuidePage | None:
        return self.browser.page

    def open_at(self, name: str) -> None:
        """In front; at the first page where there is none of that name."""
        if self.pages:
            named = (page for page in self.pages if page.name == name)
            self._show(next(named, self.pages[0]))
        self.show()
        self.raise_()
        self.activateWindow()
        self.browser.setFocus()

    def follow(self, link: QUrl) -> None:
        if link.scheme() in ("http", "https"):
            QDesktopServices.openUrl(link)
            return
        page = self.page
        if page is None or not link.isRelative():
            return
        target = page if not link.path() else page_at(page.path.parent / link.path())
        if target is not None:
            same = (each for each in self.pages if each.path.resolve() == target.path.resolve())
            self._show(next(same, target), link.fragment())

    def go_back(self) -> None:
        if self._been:
            page, height = self._been.pop()
            self._put(page)
            self.browser.verticalScrollBar().setValue(height)

    def next_found(self, step: int = 1) -> None:
        count = len(self.browser.places)
        if count:
            self._at = (
                (self._at + step) % count if self._at >= 0 else (0 if step > 0 else count - 1)
            )
            self.browser.go_to_found(self._at)
        self._tell_found()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves a search first."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            self.browser.setFocus()
            return
        super().keyPressEvent(event)

    def _show(self, page: GuidePage, anchor: str = "") -> None:
        before = self.page
        if before is not None and (before is not page or anchor):
            self._been.append((before, self.browser.verticalScrollBar().value()))
            del self._been[:-MOST_REMEMBERED]
        if before is not page or anchor:
            self._put(page, anchor)

    def _put(self, page: GuidePage, anchor: str = "") -> None:
        self.browser.show_page(page, anchor)
        self.list.blockSignals(True)
        self.list.setCurrentRow(self.pages.index(page) if page in self.pages else -1)
        self.list.blockSignals(False)
        self.back.setEnabled(bool(self._been))
        self._at = -1
        self._tell_found()

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self.pages):
            self._show(self.pages[row])

    def _look_for(self, words: str) -> None:
        self.browser.find_words(words)
        self._at = -1
        self._shade_list()
        if self.browser.places:
            self.next_found()
        self._tell_found()

    def _shade_list(self, *_: object) -> None:
        """Pages without the words one looks for are dim."""
        theme, words = self._current_theme.theme, self.search.text().strip().casefold()
        for page, item in zip(self.pages, self._items(), strict=True):
            is_there = words in page.text.casefold()
            item.setForeground(QColor(theme.text if is_there else theme.dim))
            font = item.font()
            font.setBold(bool(words) and is_there)
            item.setFont(font)

    def _tell_found(self) -> None:
        if not self.search.text().strip():
            self.found.clear()
        elif self.browser.places:
            text = self.tr("{n} of {count}").replace("{n}", str(max(self._at, 0) + 1))
            self.found.setText(text.replace("{count}", str(len(self.browser.places))))
        else:
            self.found.setText(self.tr("not on this page"))

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _add_keys(self) -> None:
        for keys, call in (
            ("Ctrl+F", self._ask),
            ("F3", self.next_found),
            ("Shift+F3", partial(self.next_found, -1)),
            ("Shift+Return", partial(self.next_found, -1)),
            ("Alt+Left", self.go_back),
            ("F1", self.close),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(call)

    def _ask(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _lay_out(self) -> None:
        self.list.setProperty("role", "pages")
        self.list.setAccessibleName(self.tr("Pages of the guide"))
        self.list.setFixedWidth(LIST_PX)
        self.list.ensurePolished()
        self.list.addItems([page.title for page in self.pages])
        self.search.setPlaceholderText(self.tr("Find on this page (Ctrl+F)"))
        self.search.setAccessibleName(self.tr("Find in the guide"))
        self.search.setClearButtonEnabled(True)
        self.found.setProperty("role", "dim")
        self.found.setTextFormat(Qt.TextFormat.PlainText)
        self.back.setAccessibleName(self.tr("Back"))
        self.back.setToolTip(self.tr("Back (Alt+Left)"))
        self.back.setAutoDefault(False)
        self.back.setEnabled(False)
        self.browser.setAccessibleName(self.tr("Page of the guide"))
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.back)
        top.addWidget(self.search, 1)
        top.addWidget(self.found)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addLayout(top)
        right.addWidget(self.browser, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(12)
        layout.addWidget(self.list)
        layout.addLayout(right, 1)
        self.resize(*SIZE)
