"""A list of suggestions below a line edit."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QStringListModel, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

MAX_VISIBLE = 12  # without scrolling


class Suggestions(QObject):
    """Suggestions chosen by a click, or with the arrow keys and Enter; none is preselected."""

    chosen = Signal(str)

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self.model = QStringListModel(self)
        self.popup = QListView()
        self._completer = QCompleter(self.model, self, maxVisibleItems=MAX_VISIBLE)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setPopup(self.popup)
        self._completer.setWidget(edit)  # edit.setCompleter() would replace the text
        self._completer.activated.connect(self.chosen)

    def show(self, texts: Sequence[str]) -> None:
        self.model.setStringList(list(texts))
        if texts and self._edit.hasFocus():
            self._completer.complete()
            self.popup.setCurrentIndex(QModelIndex())
        else:
            self.hide()

    def hide(self) -> None:
        self.popup.hide()
