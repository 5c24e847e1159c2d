"""Popup to choose the agent's model: a known one, a folder or file, or a server."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from app.core.database.locations import shown_location
from app.core.session.session import Session
from app.ui.agent.model_rows import ModelRow, model_rows
from app.ui.background.runner import Runner
from app.ui.translation.data_texts import key_in_address
from app.ui.widgets.labels import column, row, short_label, wrapped_label

translate = QCoreApplication.translate
WIDTH, LIST_HEIGHT, MIN_LIST_HEIGHT = 460, 320, 80
KEY = Qt.ItemDataRole.UserRole
NEED = Qt.ItemDataRole.UserRole + 1


class ModelChooser(QFrame):
    """Closes when a model is chosen or the person clicks elsewhere."""

    chosen = Signal(str)
    """A name, a path or an address; empty: the measured inspector."""

    def __init__(self, runner: Runner, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self._runner, self._session = runner, session
        self._position = QPoint()
        self._current = ""
        self.list = QListWidget()
        self.list.setProperty("role", "plain")
        self.list.setWordWrap(True)
        self.list.setAccessibleName(self.tr("Models"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.address = QLineEdit()
        self.address.setPlaceholderText(self.tr("http://host:port/v1#model"))
        self.address.setAccessibleName(self.tr("Server address"))
        self.use = QPushButton(self.tr("Use server"))
        self.folder = QPushButton(self.tr("Model folder"))
        self.file = QPushButton(self.tr("GGUF file"))
        self.note = wrapped_label("", "warning")
        self.note.hide()
        column(
            short_label(self.tr("Agent model"), "title"),
            self.list,
            self.note,
            row((self.address, 1), self.use),
            row(self.folder, self.file, 1),
            margins=12,
            parent=self,
        )
        self.list.itemClicked.connect(self._choose_item)
        self.list.itemActivated.connect(self._choose_item)
        self.address.returnPressed.connect(self._choose_address)
        self.use.clicked.connect(self._choose_address)
        self.folder.clicked.connect(self._ask_folder)
        self.file.clicked.connect(self._ask_file)

    def open_at(self, position: QPoint, current: str) -> None:
        """Open at a global position; `current` is the model in use."""
        self._current = current
        self.note.hide()
        self._position = position
        self._runner.run(partial(model_rows, current, self._session), self._show_rows, owner=self)
        self._place()
        self.show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()  # only now has it the fonts and margins of the style sheet

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _place(self) -> None:
        """Fit on the screen of the position, as near to it as possible."""
        screen = QGuiApplication.screenAt(self._position) or self.screen()
        area = screen.availableGeometry()
        self.setFixedWidth(min(WIDTH, area.width()))
        self.list.setFixedHeight(LIST_HEIGHT)
        self.adjustSize()
        over = self.sizeHint().height() - area.height()
        if over > 0:
            self.list.setFixedHeight(max(LIST_HEIGHT - over, MIN_LIST_HEIGHT))
            self.adjustSize()
        x = min(self._position.x(), area.right() + 1 - self.width())
        y = min(self._position.y(), area.bottom() + 1 - self.height())
        self.move(max(x, area.left()), max(y, area.top()))

    def _show_rows(self, found: tuple[list[ModelRow], str]) -> None:
        rows, faults = found
        self.list.clear()
        needs = translate("agent", "Needs {what}")
        for each in rows:
            needed = needs.replace("{what}", each.needs) if each.needs else ""
            lines = (f"{each.title} · {each.state}", each.about, needed, each.record)
            item = QListWidgetItem("\n".join(line for line in lines if line))
            item.setData(KEY, each.key)
            item.setData(NEED, each.need)
            item.setToolTip(each.need or each.about)
            self.list.addItem(item)
            if each.key == self._current:
                self.list.setCurrentItem(item)
        if faults:
            self._show_note(self.tr("Skipped: {what}").replace("{what}", faults))

    def _choose_item(self, item: QListWidgetItem) -> None:
        need = item.data(NEED)
        if need:
            self._show_note(need)
        else:
            self._choose(item.data(KEY))

    def _choose_address(self) -> None:
        address = self.address.text().strip()
        if not address.lower().startswith(("http://", "https://")):
            self._show_note(self.tr("A server address begins with http:// or https://"))
        elif shown_location(address) != address:
            self._show_note(key_in_address())
        else:
            self._choose(address)

    def _ask_folder(self) -> None:
        self.close()
        path = QFileDialog.getExistingDirectory(
            self.parentWidget(), self.tr("Choose a model folder")
        )
        if path:
            self._choose(path)

    def _ask_file(self) -> None:
        self.close()
        path, _ = QFileDialog.getOpenFileName(
            self.parentWidget(), self.tr("Choose a GGUF file"), "", "GGUF (*.gguf)"
        )
        if path:
            self._choose(path)

    def _choose(self, key: str) -> None:
        self.close()
        self.chosen.emit(key)

    def _show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.show()
        self._place()
