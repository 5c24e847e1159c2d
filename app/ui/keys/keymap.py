"""Which key does what: a profile, and what the user has changed of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from app.ui.actions.actions import ACTIONS
from app.ui.actions.key_names import label, normal
from app.ui.actions.key_profiles import arranged, keys_of_profile
from app.ui.settings.settings import Keys, Settings
from app.ui.settings.settings_keeper import SettingsKeeper

MAX_KEYS = 4
"""Of one action."""
FIXED = "Escape"
"""Always gives the plot back."""


class KeyTaken(WorkbenchError):
    """A key that cannot be given to an action, and why."""


class Keymap(QObject):
    """Kept in the settings."""

    changed = Signal()

    def __init__(self, settings: SettingsKeeper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._keys: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        self._arranged: tuple[str, Keys] = "", {}
        self._arrange(settings.settings)
        settings.changed.connect(self._take_settings)

    @property
    def profile(self) -> str:
        return self._settings.settings.profile

    def keys(self, name: str) -> tuple[str, ...]:
        return self._keys[name]

    def label(self, name: str) -> str:
        """What a button shows: the first key; empty where there is none."""
        return next((label(key) for key in self._keys[name]), "")

    def labels(self, name: str) -> list[str]:
        return [label(key) for key in self._keys[name]]

    def action(self, *spellings: str) -> str | None:
        """Of the first spelling that does anything."""
        return next((self._names[each] for each in spellings if each in self._names), None)

    def is_changed(self, name: str) -> bool:
        """By the user."""
        return name in self._settings.settings.keys

    def rebind(self, name: str, keys: Sequence[str]) -> None:
        """Give an action other keys. Raises KeyTaken; nothing is changed then."""
        wanted = tuple(dict.fromkeys(self._checked(name, key) for key in keys))
        if len(wanted) > MAX_KEYS:
            text = self.tr("An action has at most {count} keys: take one away first")
            raise KeyTaken(text.replace("{count}", str(MAX_KEYS)))
        changes = dict(self._settings.settings.keys)
        changes[name] = wanted
        if wanted == keys_of_profile(self.profile)[name]:
            del changes[name]
        self._settings.change(keys=changes)

    def reset(self, name: str) -> None:
        """As the profile has it. Raises KeyTaken where another action has got its key."""
        self.rebind(name, keys_of_profile(self.profile)[name])

    def reset_all(self) -> None:
        self._settings.change(keys={})

    def use_profile(self, profile: str) -> None:
        """What the user has changed stays changed."""
        self._settings.change(profile=profile)

    def _checked(self, name: str, text: str) -> str:
        key = normal(text)
        if not key or FIXED in key.split("+"):
            if (name, key) == ("escape", FIXED):
                return key
            raise KeyTaken(self.tr("{key} cannot be used").replace("{key}", label(key) or text))
        holder = self._names.get(key)
        if holder not in (None, name):
            text = self.tr("{key} is taken: “{action}”. Give that another key first")
            words = ACTIONS[str(holder)].words
            raise KeyTaken(text.replace("{key}", label(key)).replace("{action}", words))
        return key

    def _take_settings(self, settings: Settings) -> None:
        if (settings.profile, settings.keys) == self._arranged:
            return
        before = self._keys
        self._arrange(settings)
        if self._keys != before:
            self.changed.emit()

    def _arrange(self, settings: Settings) -> None:
        self._arranged = settings.profile, settings.keys
        changes = {name: keys for name, keys in settings.keys.items() if name != "escape"}
        self._keys = arranged(keys_of_profile(settings.profile), changes)
        self._names = {key: name for name, keys in self._keys.items() for key in keys}
