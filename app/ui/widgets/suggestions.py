"""What could be meant by what is typed in a line, in a list under it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QStringListModel, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView


class Suggestions(QObject):
    """Chosen by a click, or with the arrow keys and Enter. Nothing is chosen by itself."""

    chosen = Signal(str)

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self.words = QStringListModel(self)
        self.popup = QListView()
        self._completer = QCompleter(self.words, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setPopup(self.popup)
        self._completer.setWidget(edit)  # not edit.setCompleter: that would replace the text
        self._completer.activated.connect(self.chosen)

    def show(self, words: Sequence[str]) -> None:
        self.words.setStringList(list(words))
        if words and self._edit.hasFocus():
            self._completer.complete()
            self.popup.setCurrentIndex(QModelIndex())
        else:
            self.hide()

    def hide(self) -> None:
        self.popup.hide()
