"""Read an untrusted TOML file: sizes are bounded and every value is checked and named in errors."""

from __future__ import annotations

import difflib
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, TypeVar

from agent.errors import ResourceError

MAX_BYTES = 64 * 1024
MAX_DOTS_IN_KEY = 16
MAX_DEPTH_IN_LINE = 200
MAX_GUESSES, LONGEST_GUESS = 1000, 80
# One bare or quoted part of a dotted key, and a key of more parts than any of our files has.
_PART = r"""(?:(?<![\w-])[\w-]+|"(?:[^"\\]|\\.){0,200}"|'[^']{0,200}')[ \t]*\.[ \t]*"""
_MANY_PARTS = re.compile(rf"(?:{_PART}){{{MAX_DOTS_IN_KEY + 1}}}")
_BRACKET = re.compile(r"[\[\]{}]")
# Text that could end a turn or open a tag in a chat template, or be a terminal escape.
_CHAT_MARKUP = re.compile(r"<\s*[|/!A-Za-z]|\|>|\\|```")
_KINDS: dict[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a table",
    object: "a number",  # `number` takes any object and tells int from float itself
}
Value = TypeVar("Value")


def read_toml(path: Path, max_bytes: int = MAX_BYTES) -> TomlTable:
    """Read a whole file. Raises ResourceError if it is missing, too long, not UTF-8 or not TOML."""
    try:
        if not path.is_file():
            raise ResourceError(f"{path}: not a file")
        with path.open("rb") as stream:
            content = stream.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path}: cannot be read: {error}") from error
    return parse_toml(content, str(path), max_bytes)


def parse_toml(content: bytes, source: str, max_bytes: int = MAX_BYTES) -> TomlTable:
    """Parse the bytes of one TOML file; errors name it by `source`."""
    if len(content) > max_bytes:
        raise ResourceError(f"{source}: longer than {max_bytes // 1024} KiB, the most allowed")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResourceError(f"{source}: not UTF-8 text (byte {error.start})") from error
    _refuse_costly_lines(text, source)
    try:
        values = tomllib.loads(text)
    except RecursionError as error:
        raise ResourceError(f"{source}: nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError is one; so is an integer of 5,000 digits
        raise ResourceError(f"{source}: not valid TOML: {printable(str(error), 160)}") from error
    return TomlTable(values, source)


def _refuse_costly_lines(text: str, source: str) -> None:
    # tomllib takes quadratic time over the parts of a dotted key, and recurses per bracket.
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS_IN_KEY and _MANY_PARTS.search(line):
            raise ResourceError(f"{source}: line {number} has a key of too many parts")
        if _depth(line) > MAX_DEPTH_IN_LINE:
            raise ResourceError(f"{source}: line {number} is nested too deeply")


def _depth(line: str) -> int:
    """Return the deepest nesting of brackets in a line."""
    if line.count("[") + line.count("{") <= MAX_DEPTH_IN_LINE:
        return 0
    steps = (1 if bracket.group() in "[{" else -1 for bracket in _BRACKET.finditer(line))
    return max(accumulate(steps))


class TomlTable:
    """A TOML table whose keys are read one by one; `close()` then rejects the keys left over.

    `where` is the path of the table inside the file, empty for the file itself.
    """

    def __init__(self, values: dict[str, Any], source: str, where: str = "") -> None:
        self.source = source
        self.where = where
        self._values = values
        self._asked: list[str] = []

    def fault(self, key: str, problem: str) -> ResourceError:
        """Return the error to raise about `key`, with its file and path."""
        name = f"{self.where}.{key}" if self.where and key else self.where or key
        return ResourceError(f"{self.source}: {name}: {problem}")

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def is_text(self, key: str, text: str | None = None) -> bool:
        """Whether the value is a text, or this text."""
        value = self._values.get(key)
        return isinstance(value, str) and text in (None, value)

    def text(
        self, key: str, default: str | None = None, *, longest: int = 80, shortest: int = 1
    ) -> str:
        """Printable text with runs of white space collapsed; lengths are in characters."""
        value = self._take(key, str, default)
        return self._checked_text(key, value, shortest, longest)

    def texts(
        self, key: str, *, longest: int = 80, at_most: int = 16, at_least: int = 1
    ) -> tuple[str, ...]:
        """A list of texts; a missing key means an empty list if `at_least` is 0."""
        values = self._take(key, list, [] if at_least == 0 else None)
        if not at_least <= len(values) <= at_most:
            raise self.fault(key, f"expected {at_least} to {at_most} texts, found {len(values)}")
        texts = []
        for number, value in enumerate(values, 1):
            if not isinstance(value, str):
                raise self.fault(key, f"entry {number} should be text, not {_kind(value)}")
            texts.append(self._checked_text(key, value, 1, longest))
        return tuple(texts)

    def identifier(self, key: str, pattern: re.Pattern[str], expected: str) -> str:
        """A text that `pattern` matches in full; `expected` describes the pattern in errors."""
        value = self._take(key, str, None)
        if not pattern.fullmatch(value):
            raise self.fault(key, f"expected {expected}; found {shown(value)}")
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        return self._take(key, bool, default)

    def number(
        self, key: str, default: float | None = None, *, low: float, high: float, unit: str = ""
    ) -> float:
        """A finite number from `low` to `high`; `unit` is shown in errors."""
        value = self._take(key, object, default)
        return self._checked_number(key, value, low, high, unit)

    def numbers(self, key: str, *, low: float, high: float, at_most: int) -> tuple[float, ...]:
        """A list of numbers, each from `low` to `high`; a missing key means an empty list."""
        values = self._take(key, list, [])
        if len(values) > at_most:
            raise self.fault(key, f"expected at most {at_most} numbers, found {len(values)}")
        return tuple(self._checked_number(key, value, low, high) for value in values)

    def pair(self, key: str, *, low: float, high: float) -> tuple[float, float]:
        """Two numbers in increasing order, each from `low` to `high`."""
        return self._checked_pair(key, self._take(key, list, None), low, high)

    def pairs(
        self, key: str, *, low: float, high: float, at_most: int, unit: str = ""
    ) -> tuple[tuple[float, float], ...]:
        """One pair or a list of pairs, each as in `pair`; a missing key means none."""
        values = self._take(key, list, [])
        if key in self and not values:
            raise self.fault(key, "expected [lower, upper] or a list of such pairs, found []")
        pairs = values if values and isinstance(values[0], list) else [values] if values else []
        if len(pairs) > at_most:
            wanted = "one pair" if at_most == 1 else f"at most {at_most} pairs"
            raise self.fault(key, f"expected {wanted} [lower, upper], found {len(pairs)}")
        return tuple(self._checked_pair(key, pair, low, high, unit) for pair in pairs)

    def choice(self, key: str, options: Iterable[str], default: str | None = None) -> str:
        allowed = tuple(options)
        value = self._take(key, str, default)
        if value not in allowed:
            expected = ", ".join(each or '""' for each in allowed)
            guess = near_miss(value, allowed)
            raise self.fault(key, f"{shown(value)} is not one of: {expected}{guess}")
        return str(value)

    def table(self, key: str) -> TomlTable:
        return TomlTable(self._take(key, dict, None), self.source, self._path(key))

    def tables(
        self,
        key: str,
        *,
        at_least: int = 0,
        at_most: int,
        named_by: str = "",
        inherit: Sequence[str] = (),
    ) -> tuple[TomlTable, ...]:
        """The entries of an array of tables, `[[key]]` in the file.

        Errors name an entry by its value of `named_by`, else by its number. An entry without one of
        the keys `inherit` takes its value from this table.
        """
        self._asked.extend(inherit)
        inherited = {each: self._values[each] for each in inherit if each in self._values}
        values = self._take(key, list, [] if at_least == 0 else None)
        if not at_least <= len(values) <= at_most:
            problem = f"expected {at_least} to {at_most} tables [[{key}]], found {len(values)}"
            raise self.fault(key, problem)
        tables = []
        for number, value in enumerate(values, 1):
            if not isinstance(value, dict):
                raise self.fault(key, f"entry {number} should be a table [[{key}]]")
            name = value.get(named_by)
            label = shown(name) if isinstance(name, str) else str(number)
            where = f"{self._path(key)}[{label}]"
            tables.append(TomlTable({**inherited, **value}, self.source, where))
        return tuple(tables)

    def close(self) -> None:
        """Raise for any key that was never read."""
        for key in self._values:
            if key not in self._asked:
                guess = near_miss(key, self._asked)
                raise self.fault(shown(key), f"unknown key{guess}")

    def _path(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def _take(self, key: str, kind: type[Value], default: Value | None) -> Value:
        self._asked.append(key)
        if key not in self._values:
            if default is not None:
                return default
            guess = near_miss(key, self._values)
            raise self.fault(key, f"missing; expected {_KINDS[kind]}{guess}")
        value = self._values[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fault(key, f"expected {_KINDS[kind]}, found {_kind(value)}")
        return value

    def _checked_number(
        self, key: str, value: object, low: float, high: float, unit: str = ""
    ) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(key, f"expected a number, found {_kind(value)}")
        if not low <= value <= high:  # also refuses nan, and integers no float can hold
            found = f", found {value:g}" if abs(value) < 1e15 else ""
            raise self.fault(
                key, f"expected a number from {low:g} to {high:g}{unit and ' '}{unit}{found}"
            )
        return float(value)

    def _checked_pair(
        self, key: str, values: object, low: float, high: float, unit: str = ""
    ) -> tuple[float, float]:
        if not isinstance(values, list) or len(values) != 2:
            raise self.fault(key, "expected two numbers, as in [6450, 6680]")
        first, second = (self._checked_number(key, value, low, high, unit) for value in values)
        if first >= second:
            raise self.fault(key, f"expected lower before upper, found [{first:g}, {second:g}]")
        return first, second

    def _checked_text(self, key: str, value: str, shortest: int, longest: int) -> str:
        for character in value:
            if unprintable(character) and character not in "\n\r\t":
                name = f"U+{ord(character):04X}"
                raise self.fault(key, f"contains the unprintable character {name}")
        markup = _CHAT_MARKUP.search(value)
        if markup:
            problem = f"contains {shown(markup.group())}, which looks like chat markup"
            raise self.fault(key, problem)
        text = " ".join(value.split())
        if not shortest <= len(text) <= longest:
            problem = f"expected {shortest} to {longest} characters, found {len(text)}"
            raise self.fault(key, problem)
        return text


def unprintable(character: str) -> bool:
    """Whether a character is a control, format (bidirectional, zero width) or private one."""
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def near_miss(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean "H_alpha"?`, or nothing if no known word is close."""
    short = (name for name in known if len(name) <= LONGEST_GUESS)
    by_fold = {name.casefold(): name for name in islice(short, MAX_GUESSES)}
    close = difflib.get_close_matches(word.casefold()[:LONGEST_GUESS], by_fold, n=1, cutoff=0.6)
    return f"; did you mean {shown(by_fold[close[0]])}?" if close else ""


def shown(text: str, longest: int = 40) -> str:
    """Quote `text` for an error message: short, without terminal escapes."""
    return f'"{printable(text, longest)}"'


def printable(text: str, longest: int) -> str:
    short = text if len(text) <= longest else text[:longest] + "..."
    return "".join("?" if unprintable(character) else character for character in short)


def is_unicode(text: str) -> bool:
    """Whether files and databases can hold it: in a file name, bytes that are no UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a date or time")
