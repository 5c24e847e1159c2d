"""The settings page of keys: the profile, and the keys of every action."""

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
)

from app.ui.base.actions.actions import ACTIONS, CONTEXT, GROUPS
from app.ui.base.actions.key_names import normalized, possible_keys, press_of
from app.ui.base.actions.key_profiles import PROFILES, profile_name
from app.ui.base.keys.keymap import Keymap, KeyTaken
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.program.command_palette import match_score
from app.ui.program.settings_dialog.settings_parts import NARROW, SettingsPage, plain_label
from app.ui.widgets.labels import add_parts, dialog_button, flexible_gap, flow, row, show_or_hide


class KeyCatcher(QLabel):
    """Reads one key press; visible only while it waits for it."""

    caught = Signal(str)  # the key, spelled as in actions.py
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "catcher")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def wait(self, prompt: str) -> None:
        self.setText(prompt)
        self.setAccessibleName(prompt)
        self.show()
        self.setFocus()

    def event(self, event: QEvent) -> bool:
        """Take key events before Qt uses them for focus changes and shortcuts."""
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress:
                self._catch(event)
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.isVisible():
            self._cancel()

    def _catch(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._cancel()
            return
        keys = [key for key in possible_keys(press_of(event)) if normalized(key)]
        if keys and not event.isAutoRepeat():
            self.hide()
            self.caught.emit(keys[0])

    def _cancel(self) -> None:
        self.hide()
        self.cancelled.emit()


_NAME = Qt.ItemDataRole.UserRole


class KeysPage(SettingsPage):
    def __init__(self, settings: SettingsStore, keymap: Keymap) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Keys"))
        self._keymap = keymap
        self._adds = False
        self.profile = QComboBox()
        self.profile.setAccessibleName(self.tr("Profile"))
        for profile in PROFILES:
            self.profile.addItem(profile_name(profile), profile)
        self.profile.setFixedWidth(NARROW)
        self.profile.activated.connect(self._use_profile)
        find = self.tr("Find an action or a key")
        self.query = QLineEdit(clearButtonEnabled=True, placeholderText=find)
        self.query.setAccessibleName(find)
        self.query.textChanged.connect(self._filter)
        self.table = self._make_table()
        self.message = plain_label("", "warning")
        self.catcher = KeyCatcher()
        self.catcher.caught.connect(self._bind_key)
        self.catcher.cancelled.connect(self._cancel)
        self.change_button = dialog_button(self.tr("Change…"), self._wait)
        self.add_button = dialog_button(self.tr("Add another…"), partial(self._wait, adds=True))
        self.clear_button = dialog_button(self.tr("Remove keys"), self._clear)
        self.reset_button = dialog_button(self.tr("Reset"), self._reset)
        self.reset_all_button = dialog_button(self.tr("Reset all"), self._reset_all)
        self.message.hide()
        own = self.change_button, self.add_button, self.clear_button, self.reset_button
        buttons = flow(*own, flexible_gap(), self.reset_all_button, spacing=8)
        top = row(self.profile, (self.query, 1))
        add_parts(self.body, top, (self.table, 1), self.catcher, self.message, buttons)
        keymap.changed.connect(self._show_keys)
        self._show_keys()

    def show_settings(self, settings: Settings) -> None:
        self.profile.setCurrentIndex(self.profile.findData(settings.profile))

    def _make_table(self) -> QTreeWidget:
        table = QTreeWidget(columnCount=2)
        table.setAccessibleName(self.tr("Actions and their keys"))
        table.setHeaderLabels([self.tr("Action"), self.tr("Keys")])
        table.setMinimumHeight(220)
        table.setRootIsDecorated(False)
        table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        table.header().setStretchLastSection(False)
        for group in GROUPS:
            top = QTreeWidgetItem([QCoreApplication.translate(CONTEXT, group), ""])
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            font = top.font(0)
            font.setBold(True)
            top.setFont(0, font)
            table.addTopLevelItem(top)
            for name, action in ACTIONS.items():
                if action.group == group:
                    row = QTreeWidgetItem(top, [action.title, ""])
                    row.setData(0, _NAME, name)
            top.setExpanded(True)
        table.itemSelectionChanged.connect(self._follow_selection)
        table.itemDoubleClicked.connect(self._wait)
        return table

    def _groups(self) -> dict[QTreeWidgetItem, list[QTreeWidgetItem]]:
        tops = [self.table.topLevelItem(index) for index in range(self.table.topLevelItemCount())]
        return {
            top: [row for index in range(top.childCount()) if (row := top.child(index))]
            for top in tops
            if top
        }

    def _rows(self) -> list[QTreeWidgetItem]:
        return [row for rows in self._groups().values() for row in rows]

    def _selected_action(self) -> str | None:
        items = self.table.selectedItems()
        return items[0].data(0, _NAME) if items else None

    def _show_keys(self) -> None:
        for item in self._rows():
            name = item.data(0, _NAME)
            item.setText(1, "   ".join(self._keymap.labels(name)))
            font = item.font(1)
            font.setBold(self._keymap.is_changed(name))
            item.setFont(1, font)
        self._follow_selection()

    def _filter(self, query: str) -> None:
        for item in self._rows():
            scores = [match_score(query, item.text(at)) for at in (0, 1)]
            item.setHidden(bool(query.strip()) and scores == [None, None])
        for top, rows in self._groups().items():
            top.setHidden(all(row.isHidden() for row in rows))

    def _follow_selection(self) -> None:
        name = self._selected_action()
        can_change = name is not None and name != "escape"
        for button in (self.change_button, self.add_button, self.clear_button):
            button.setEnabled(can_change)
        self.reset_button.setEnabled(can_change and self._keymap.is_changed(str(name)))

    def _wait(self, *_: object, adds: bool = False) -> None:
        name = self._selected_action()
        if name is None or name == "escape":
            return
        self._adds = adds
        self._show_message("")
        text = self.tr("Press a key for “{action}”, or Esc to cancel")
        self.catcher.wait(text.replace("{action}", ACTIONS[name].title))

    def _bind_key(self, key: str) -> None:
        if (name := self._selected_action()) is not None:
            self._rebind(name, (*self._keymap.keys(name), key) if self._adds else (key,))
        self.table.setFocus()

    def _cancel(self) -> None:
        if self.isVisible():
            self.table.setFocus()

    def _clear(self) -> None:
        if (name := self._selected_action()) is not None:
            self._rebind(name, ())

    def _rebind(self, name: str, keys: tuple[str, ...]) -> None:
        try:
            self._keymap.rebind(name, keys)
        except KeyTaken as refusal:
            self._show_message(str(refusal))
        else:
            self._show_message("")

    def _reset(self) -> None:
        if (name := self._selected_action()) is not None:
            try:
                self._keymap.reset(name)
            except KeyTaken as refusal:
                self._show_message(str(refusal))

    def _reset_all(self) -> None:
        self._show_message("")
        self._keymap.reset_all()

    def _use_profile(self) -> None:
        self._show_message("")
        self._keymap.use_profile(self.profile.currentData())

    def _show_message(self, text: str) -> None:
        show_or_hide(self.message, text)
