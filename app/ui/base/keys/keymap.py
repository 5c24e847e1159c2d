"""The keys of every action: those of a profile plus the changes of the user."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.key_names import label, normalized
from app.ui.base.actions.key_profiles import merge_keys, profile_keys
from app.ui.base.settings.settings import Keys, Settings
from app.ui.base.settings.settings_store import SettingsStore

MAX_KEYS = 4  # per action
# Escape always returns to the plot and cannot be assigned.
FIXED = "Escape"


class KeyTaken(WorkbenchError):
    """A key cannot be assigned; the text says why."""


class Keymap(QObject):
    """Key bindings; the changes of the user are stored in the settings."""

    changed = Signal()

    def __init__(self, settings: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._keys: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        self._source: tuple[str, Keys] = "", {}
        """Profile and changes from which the keys were built."""
        self._build(settings.settings)
        settings.changed.connect(self._follow_settings)

    @property
    def profile(self) -> str:
        return self._settings.settings.profile

    def keys(self, name: str) -> tuple[str, ...]:
        return self._keys[name]

    def label(self, name: str) -> str:
        """The first key of the action as a button shows it, or ""."""
        return next((label(key) for key in self._keys[name]), "")

    def labels(self, name: str) -> list[str]:
        return [label(key) for key in self._keys[name]]

    def action(self, *keys: str) -> str | None:
        """The action of the first of these keys that has one."""
        return next((self._names[each] for each in keys if each in self._names), None)

    def is_changed(self, name: str) -> bool:
        return name in self._settings.settings.keys

    def rebind(self, name: str, keys: Sequence[str]) -> None:
        """Replace the keys of an action. Raises KeyTaken without changing anything."""
        new_keys = tuple(dict.fromkeys(self._checked(name, key) for key in keys))
        if len(new_keys) > MAX_KEYS:
            text = self.tr("An action can have at most {count} keys: remove one first")
            raise KeyTaken(text.replace("{count}", str(MAX_KEYS)))
        changes = dict(self._settings.settings.keys)
        changes[name] = new_keys
        if new_keys == profile_keys(self.profile)[name]:
            del changes[name]
        self._settings.change(keys=changes)

    def reset(self, name: str) -> None:
        """Restore the keys of the profile. Raises KeyTaken if another action uses one."""
        self.rebind(name, profile_keys(self.profile)[name])

    def reset_all(self) -> None:
        self._settings.change(keys={})

    def use_profile(self, profile: str) -> None:
        """Change the profile; changes of the user are kept."""
        self._settings.change(profile=profile)

    def _checked(self, name: str, text: str) -> str:
        key = normalized(text)
        if not key or FIXED in key.split("+"):
            if (name, key) == ("escape", FIXED):
                return key
            raise KeyTaken(self.tr("{key} cannot be used").replace("{key}", label(key) or text))
        holder = self._names.get(key)
        if holder not in (None, name):
            text = self.tr("{key} is already used for “{action}”: change that key first")
            title = ACTIONS[str(holder)].title
            raise KeyTaken(text.replace("{key}", label(key)).replace("{action}", title))
        return key

    def _follow_settings(self, settings: Settings) -> None:
        if (settings.profile, settings.keys) == self._source:
            return
        before = self._keys
        self._build(settings)
        if self._keys != before:
            self.changed.emit()

    def _build(self, settings: Settings) -> None:
        self._source = settings.profile, settings.keys
        changes = {name: keys for name, keys in settings.keys.items() if name != "escape"}
        self._keys = merge_keys(profile_keys(settings.profile), changes)
        self._names = {key: name for name, keys in self._keys.items() for key in keys}
