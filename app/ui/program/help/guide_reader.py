"""The window of the guide."""

from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QPushButton

from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.help.guide_browser import GuideBrowser
from app.ui.program.help.pages import GuidePage, guide, page_at
from app.ui.widgets.labels import bring_forward, column, row, short_label
from app.ui.widgets.text_width import DialogSize, ListWidth

SIZE = 980, 720
LIST_PX = 216
MAX_HISTORY = 200
MAX_SEARCH = 200


class GuideReader(QDialog):
    """Shows pages of the guide by name; links to the web open in the web browser."""

    def __init__(self, language: str, current_theme: CurrentTheme) -> None:
        super().__init__()
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setWindowTitle(self.tr("Guide"))
        self._current_theme = current_theme
        self.pages = guide(language)
        self._history: list[tuple[GuidePage, int]] = []
        """Pages shown before, with their scroll positions."""
        self.list = QListWidget()
        self.search = QLineEdit(maxLength=MAX_SEARCH)
        self.match_count = short_label("", "dim")
        self.back = QPushButton("←")
        self.browser = GuideBrowser(current_theme)
        self._match = -1
        self._lay_out()
        self._add_keys()
        self.list.currentRowChanged.connect(self._choose)
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self.next_match)
        self.back.clicked.connect(self.go_back)
        self.browser.anchorClicked.connect(self.follow)
        current_theme.changed.connect(self._shade_list)

    @property
    def page(self) -> GuidePage | None:
        return self.browser.page

    def open_at(self, name: str) -> None:
        """Show the page of that name, or else the first page, and bring the window to the front."""
        if self.pages:
            self._show(next((page for page in self.pages if page.name == name), self.pages[0]))
        bring_forward(self)
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
        if self._history:
            page, position = self._history.pop()
            self._display(page)
            self.browser.verticalScrollBar().setValue(position)

    def next_match(self, step: int = 1) -> None:
        if count := len(self.browser.matches):
            first = 0 if step > 0 else count - 1
            self._match = (self._match + step) % count if self._match >= 0 else first
            self.browser.go_to_match(self._match)
        self._show_match_count()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc clear the search before it closes the window."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            self.browser.setFocus()
        else:
            super().keyPressEvent(event)

    def _show(self, page: GuidePage, anchor: str = "") -> None:
        before = self.page
        if before is not None and (before is not page or anchor):
            self._history.append((before, self.browser.verticalScrollBar().value()))
            del self._history[:-MAX_HISTORY]
        if before is not page or anchor:
            self._display(page, anchor)

    def _display(self, page: GuidePage, anchor: str = "") -> None:
        self.browser.show_page(page, anchor)
        with QSignalBlocker(self.list):
            self.list.setCurrentRow(self.pages.index(page) if page in self.pages else -1)
        self.back.setEnabled(bool(self._history))
        self._match = -1
        self._show_match_count()

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self.pages):
            self._show(self.pages[row])

    def _search(self, text: str) -> None:
        self.browser.find_text(text)
        self._match = -1
        self._shade_list()
        self.next_match()

    def _shade_list(self, *_: object) -> None:
        """Dim the pages that do not contain the searched text."""
        theme, searched = self._current_theme.theme, self.search.text().strip().casefold()
        for number, page in enumerate(self.pages):
            item, has_text = self.list.item(number), searched in page.text.casefold()
            item.setForeground(QColor(theme.text if has_text else theme.dim))
            font = item.font()
            font.setBold(bool(searched) and has_text)
            item.setFont(font)

    def _show_match_count(self) -> None:
        if not self.search.text().strip():
            self.match_count.clear()
        elif self.browser.matches:
            text = self.tr("{n} of {count}").replace("{n}", str(max(self._match, 0) + 1))
            self.match_count.setText(text.replace("{count}", str(len(self.browser.matches))))
        else:
            self.match_count.setText(self.tr("not on this page"))

    def _add_keys(self) -> None:
        for keys, call in (
            ("Ctrl+F", self._focus_search),
            ("F3", self.next_match),
            ("Shift+F3", partial(self.next_match, -1)),
            ("Shift+Return", partial(self.next_match, -1)),
            ("Alt+Left", self.go_back),
            ("F1", self.close),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(call)

    def _focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _lay_out(self) -> None:
        self.list.setProperty("role", "pages")
        self.list.setAccessibleName(self.tr("Guide pages"))
        self.list.addItems([page.title for page in self.pages])
        ListWidth(self.list, LIST_PX)
        self.search.setPlaceholderText(self.tr("Find on this page (Ctrl+F)"))
        self.search.setAccessibleName(self.tr("Find in the guide"))
        self.search.setClearButtonEnabled(True)
        self.back.setAccessibleName(self.tr("Back"))
        self.back.setToolTip(self.tr("Back (Alt+Left)"))
        self.back.setAutoDefault(False)
        self.back.setEnabled(False)
        self.browser.setAccessibleName(self.tr("Guide page"))
        top = row(self.back, (self.search, 1), self.match_count)
        page = column(top, (self.browser, 1))
        row(self.list, (page, 1), spacing=12, margins=12, parent=self)
        DialogSize(self, *SIZE)
