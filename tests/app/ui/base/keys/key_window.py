"""A window with every kind of widget that can have the focus, for tests of keys."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.commands import Commands
from app.ui.base.keys.key_filter import KeyFilter
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.widgets.input_filter import InputFilter

FIELDS = ("line", "text", "number", "editable")
OTHERS = ("plot", "button", "table", "slider", "box", "tick", "read_only")


class KeyWindow(QMainWindow):
    """`ran` lists the actions that keys have run, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []
        self.ended: list[str] = []
        self.allowed = set(ACTIONS)
        self.settings = SettingsStore()
        self.keymap = Keymap(self.settings)
        self.commands = Commands()
        self._add_widgets()
        for name in ACTIONS:
            self.commands.add(name, lambda name=name: self.ran.append(name), self._end(name))
        self.filter = KeyFilter(
            self.commands, self.keymap, self, self.plot.setFocus, lambda name: name in self.allowed
        )
        self.input_filter = InputFilter(self, self.filter.handlers)

    def stop_keys(self) -> None:
        self.input_filter.close()
        self.filter.close()

    def _end(self, name: str):
        return (lambda: self.ended.append(name)) if name == "peek" else None

    def _add_widgets(self) -> None:
        self.plot = QWidget(focusPolicy=Qt.FocusPolicy.StrongFocus)
        self.line = QLineEdit()
        self.text = QPlainTextEdit()
        self.number = QSpinBox(maximum=9999)
        self.editable = QComboBox(editable=True)
        self.button = QPushButton("Button")
        self.table = QTableWidget(5, 1)
        for row, text in enumerate(("alpha", "xi", "kappa", "upsilon", "nu")):
            self.table.setItem(row, 0, QTableWidgetItem(text))
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setValue(50)
        self.box = QComboBox()
        self.box.addItems(["apple", "xenon", "krypton"])
        self.tick = QCheckBox("Tick")
        self.read_only = QPlainTextEdit("what the agent said", readOnly=True)
        middle = QWidget()
        layout = QVBoxLayout(middle)
        for name in (*OTHERS, *FIELDS):
            layout.addWidget(getattr(self, name))
        self.setCentralWidget(middle)
