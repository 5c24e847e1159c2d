"""Holds the current settings and writes them to their file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from agent.atomic_file import write_file
from app.core.reviewer_name import MAX_BYTES
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_check import CHECKS, InvalidSetting, is_plain

DELAY_MS = 300

_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class SettingsStore(QObject):
    """Reads the file on construction and writes it shortly after a change; call `close` at the end.

    With `path` None nothing is saved, for tests and demonstrations.
    """

    changed = Signal(object)  # the new `Settings`
    write_failed = Signal(str)  # the reason, for the user

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path
        self.settings = Settings()
        self.fault = ""  # What was wrong with the file when it was read, for the user; or "".
        self._unknown: Mapping[str, Any] = {}
        self._has_warned = False
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.flush)
        if path is not None:
            read = read_settings(path)
            self.settings, self._unknown = read.settings, read.unknown
            if read.faults:
                self.fault = self._fault_text(read, back_up(path))

    def change(self, **changes: Any) -> None:
        settings = replace(self.settings, **changes)
        if settings != self.settings:
            self.settings = settings
            if self.path is not None:
                self._timer.start()
            self.changed.emit(settings)

    def flush(self) -> None:
        if self.path is None:
            return
        self._timer.stop()
        text = _FIRST_LINE + toml_text({**self._unknown, **_changed(self.settings)})
        try:
            self.path.resolve().parent.mkdir(parents=True, exist_ok=True)
            write_file(self.path, text)
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                text = self.tr(
                    "Settings cannot be saved and are lost when the window closes: {path} "
                    "cannot be written ({why})"
                )
                why = error.strerror or type(error).__name__
                self.write_failed.emit(text.replace("{path}", str(self.path)).replace("{why}", why))

    def close(self) -> None:
        if self._timer.isActive():
            self.flush()

    def _fault_text(self, read: SettingsRead, backup: Path | None) -> str:
        text = self.tr("Invalid settings were reset to their defaults ({why}). {where}")
        kept = self.tr("The old file was saved as {name}")
        lost = self.tr("The old file could not be saved")
        where = lost if backup is None else kept.replace("{name}", str(backup))
        return text.replace("{why}", "; ".join(read.faults)).replace("{where}", where)


# Reads and writes the settings file. An invalid value falls back to its default; a faulty file
# never stops the window from starting.
def toml_text(values: Mapping[str, Any]) -> str:
    """TOML for strings, numbers, booleans, lists of them, and tables of these one level deep."""
    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    lines = [_line(name, value) for name, value in values.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{_key(name)}]", *(_line(each, table[each]) for each in table)]
    return "\n".join([*lines, ""])


def _line(name: str, value: Any) -> str:
    return f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    return name if name and set(name) <= _BARE else _quoted(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(each) for each in value)}]"
    raise TypeError(f"a setting cannot be a {type(value).__name__}")


def _quoted(text: str) -> str:
    return f'"{"".join(_escaped(sign) for sign in text)}"'


def _escaped(sign: str) -> str:
    if sign in _SHORT:
        return _SHORT[sign]
    # Paths that are not valid UTF-8 contain surrogates, which TOML does not allow.
    if "\ud800" <= sign <= "\udfff":
        return "�"
    return sign if sign.isprintable() or sign > "\x9f" else f"\\u{ord(sign):04x}"


MAX_BACKUPS = 20
MAX_UNKNOWN = 50
_FIRST_LINE = (
    "# Settings of Spec-o3 Workbench. The window rewrites this file when a setting changes.\n"
)


@dataclass(frozen=True, kw_only=True)
class SettingsRead:
    """The contents of a file. `unknown` keys of a newer version are written back unchanged."""

    settings: Settings = field(default_factory=Settings)
    unknown: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def read_settings(path: Path) -> SettingsRead:
    """Read the file; defaults if it does not exist. Never raises."""
    try:
        if not path.exists():
            return SettingsRead()
        if not path.is_file():
            return SettingsRead(faults=("it is not a file",))
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        return SettingsRead(faults=(error.strerror or str(error),))
    if len(content) > MAX_BYTES:
        return SettingsRead(faults=(f"it is longer than {MAX_BYTES // 1024} KiB",))
    try:
        values = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return SettingsRead(faults=(str(error) or type(error).__name__,))
    return _checked(values)


def back_up(path: Path) -> Path | None:
    """Copy a faulty file to `settings.toml.bak`, `.bak-2` and so on; None if that fails."""
    names = ("", *(f"-{number}" for number in range(2, MAX_BACKUPS + 1)))
    for name in names:
        backup = path.with_name(f"{path.name}.bak{name}")
        try:
            with path.open("rb") as old, backup.open("xb") as new:
                while piece := old.read(MAX_BYTES):
                    new.write(piece)
        except FileExistsError:
            continue
        except OSError:
            return None
        return backup
    return None


def _checked(values: Mapping[str, Any]) -> SettingsRead:
    settings = Settings()
    unknown: dict[str, Any] = {}
    faults = []
    for name, value in values.items():
        check = CHECKS.get(name)
        if check is None:
            if len(unknown) < MAX_UNKNOWN and is_plain(value):
                unknown[name] = value
            continue
        try:
            settings = replace(settings, **{name: check(value)})
        except InvalidSetting as error:
            faults.append(f"{name} should be {error}")
    return SettingsRead(settings=settings, unknown=unknown, faults=tuple(faults))


def _changed(settings: Settings) -> dict[str, Any]:
    """The valid values that differ from the defaults.

    Defaults are not written, so that users get the better defaults of later versions.
    """
    defaults = Settings()
    changed = {}
    for name, check in CHECKS.items():
        value = getattr(settings, name)
        if value == getattr(defaults, name):
            continue
        with suppress(InvalidSetting):
            changed[name] = check(_as_read(value))
    return changed


def _as_read(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _as_read(each) for name, each in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value
