"""Reading our TOML tables (lines, indices) with faults that name the file and the entry."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.errors import ResourceError

MAX_BYTES = 2_000_000
MAX_ENTRIES = 20_000
MAX_TEXT = 400
SHORTEST_A, LONGEST_A = 100.0, 100_000.0
_ID = re.compile(r"[A-Za-z0-9_]{1,48}")

Window = tuple[float, float]


@dataclass(frozen=True)
class Entry:
    """One table of a file, read key by key; keys missing here are looked up in the file's head."""

    values: Mapping[str, Any]
    head: Mapping[str, Any]
    where: str

    def fault(self, message: str) -> ResourceError:
        return ResourceError(f"{self.where}: {message}")

    def get(self, key: str) -> Any:
        return self.values.get(key, self.head.get(key))

    def identifier(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str) or not _ID.fullmatch(value):
            raise self.fault(f"{key} must be letters, digits and underscores, not {value!r:.60}")
        return value

    def text(self, key: str, default: str = "") -> str:
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise self.fault(f"{key} must be text of at most {MAX_TEXT} characters")
        return value

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        value = self.text(key, default)
        if value not in choices:
            raise self.fault(f"{key} must be one of {', '.join(map(repr, choices))}, not {value!r}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        value = self.get(key)
        return self._number(key, default if value is None else value)

    def wavelength(self, key: str) -> float:
        value = self.number(key)
        if not SHORTEST_A <= value <= LONGEST_A:
            raise self.fault(f"{key} = {value:g} is no wavelength in angstrom")
        return value

    def windows(self, key: str) -> tuple[Window, ...]:
        """A window [lo, hi] or a list of them, in angstrom; empty where the key is absent."""
        value = self.values.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not value:
            raise self.fault(f"{key} must be [low, high] or a list of such pairs")
        pairs = value if isinstance(value[0], list) else [value]
        return tuple(self._window(key, pair) for pair in pairs)

    def numbers(self, key: str) -> tuple[float, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.fault(f"{key} must be a list of numbers")
        return tuple(self._number(key, item) for item in value)

    def names(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fault(f"{key} must be a list of names")
        return tuple(value)

    def is_set(self, key: str) -> bool:
        value = self.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.fault(f"{key} must be true or false")
        return bool(value)

    def _number(self, key: str, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or abs(value) > 1e300 or not math.isfinite(value):
            raise self.fault(f"{key} must be a number, not {value!r:.60}")
        return float(value)

    def _window(self, key: str, pair: Any) -> Window:
        if not isinstance(pair, list) or len(pair) != 2:
            raise self.fault(f"{key} must hold pairs [low, high]")
        low, high = self._number(key, pair[0]), self._number(key, pair[1])
        if not SHORTEST_A <= low < high <= LONGEST_A:
            raise self.fault(f"{key} = [{low:g}, {high:g}] is no wavelength window in angstrom")
        return low, high


def read_table(path: Path, list_key: str, id_key: str) -> tuple[dict[str, Any], list[Entry]]:
    """The head of a TOML file and its entries; ResourceError where it is not such a file."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ResourceError(f"{path.name}: larger than {MAX_BYTES // 1_000_000} MB")
        table = tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise ResourceError(f"{path.name}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ResourceError(f"{path.name}: not valid TOML: {error}") from error
    entries = table.pop(list_key, None)
    if not isinstance(entries, list) or not all(isinstance(item, dict) for item in entries):
        raise ResourceError(f"{path.name}: needs a list of tables named {list_key!r}")
    if len(entries) > MAX_ENTRIES:
        raise ResourceError(f"{path.name}: more than {MAX_ENTRIES} entries")
    return table, [
        Entry(item, table, f"{path.name}, {_called(item, id_key, number)}")
        for number, item in enumerate(entries, start=1)
    ]


def _called(item: Mapping[str, Any], id_key: str, number: int) -> str:
    name = item.get(id_key)
    return f"entry {name!r:.60}" if isinstance(name, str) else f"entry number {number}"
