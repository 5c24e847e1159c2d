"""Writes out the shorthand of small models: "Hα (--) -78" becomes a sentence with its numbers.

A small model repeats the numbers that it was given, with a mark that ranks each among all kinds of
objects. What is said of a line here is what was measured in the looks, so that a sentence and the
table beside it have one number; a number that no look holds stays the model's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from agent.evidence.gate_words import lines_of
from agent.evidence.gates import GATES
from agent.evidence.kinds import builtin_kinds
from agent.evidence.line_words import LineWords, line_text, merged
from agent.spectra.lines import label_of
from agent.trajectory.trajectory import Step

MAX_TEXT = 20_000
_ITEM = r"[^;:.()\n]{1,60} \((?:-{1,3}|=|\+{1,3})\) [+-]?\d{1,6}(?:\.\d{1,3})?(?: km/s| Å)?"
_RUN = re.compile(rf"(?:(?<=\bBut )|(?<!\w)(?!But ))(?:{_ITEM})(?:; {_ITEM})*")
_PARTS = re.compile(r"(.+?) \((?:-{1,3}|=|\+{1,3})\) ([+-]?\d+(?:\.\d+)?)(?: (?:km/s|Å))?$")
NUMBERS = ("ew", "ew_error", "fwhm_kms")

Rows = Mapping[str, Mapping[str, Any]]


def spoken(text: str, steps: Sequence[Step]) -> str:
    """The text with its shorthand as sentences; a text without any is returned unchanged."""
    if len(text) > MAX_TEXT or _RUN.search(text) is None:
        return text
    lines, values = measured_in(steps)

    def sentence(run: re.Match[str]) -> str:
        items = [_item(item, lines, values) for item in run.group().split("; ")]
        return _capital(run, "; ".join(merged(items)))

    return _RUN.sub(sentence, text)


def measured_in(steps: Sequence[Step]) -> tuple[Rows, Rows]:
    """The lines of all looks by id, and other numbers by name."""
    lines: dict[str, Mapping[str, Any]] = {}
    values: dict[str, Mapping[str, Any]] = {}
    for step in steps:
        for row in _rows(step.measured, "lines"):
            name = row.get("name")
            if isinstance(name, str) and _is_number(row.get("ew")):
                lines.setdefault(name, _checked_line(row))
        for row in _rows(step.measured, "values"):
            name = row.get("name")
            if isinstance(name, str) and _is_number(row.get("value")):
                values.setdefault(name, row)
    return lines, values


def _rows(measured: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = measured.get(key)
    rows = found if isinstance(found, list | tuple) else []
    return [row for row in rows if isinstance(row, Mapping)]


def _checked_line(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The numbers of a line that are numbers; the record may be a stranger's."""
    kind = row.get("kind")
    numbers = {key: row[key] for key in NUMBERS if _is_number(row.get(key))}
    return numbers | {"name": row["name"], "kind": kind if isinstance(kind, str) else ""}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _item(item: str, lines: Rows, values: Rows) -> LineWords | str:
    match = _PARTS.fullmatch(item)
    if match is None:
        return item
    label, number = match.groups()
    gate = _gates_by_label().get(label)
    if gate is None:
        return item
    named = lines_of(gate)
    if len(named) == 1:
        return _line(gate, named[0], number, lines)
    row = values.get(label)
    digits = len(number.partition(".")[2])
    return _sign(gate, number if row is None else f"{row['value']:.{digits}f}")


def _line(gate: str, line: str, number: str, lines: Rows) -> LineWords | str:
    row = lines.get(line)
    is_width = gate.endswith("_fwhm")
    if row is None:
        label = label_of(line)
        return f"{label} FWHM is {number} km/s" if is_width else f"{label} EW is {number} Å"
    expected = "emission" if is_width or float(number) < 0 else "absorption"
    text = line_text(line, dict(row), expected)
    width = row.get("fwhm_kms")
    if not is_width or not width or "FWHM" not in text:
        return LineWords(text)
    words = GATES[gate].words(float(width), _middle(gate))
    return LineWords(text, words.rpartition(" ")[2] if words.endswith(("narrow", "wide")) else "")


def _sign(gate: str, number: str) -> str:
    """A number with what a low or a high one means, if it means something alone."""
    unit = f" {GATES[gate].unit}" if GATES[gate].unit else ""
    words = GATES[gate].words(float(number), _middle(gate))
    label = GATES[gate].label
    return f"{words} ({label} {number}{unit})" if words else f"{label} is {number}{unit}"


@cache
def _middle(gate: str) -> float:
    """The border between low and high; NaN if none is known."""
    kinds = builtin_kinds()
    if gate not in kinds.gates:
        return float("nan")
    return float(kinds.knots[kinds.gates.index(gate)].mean())


@cache
def _gates_by_label() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, gate in GATES.items():
        found.setdefault(gate.label, name)
    return found


def _capital(run: re.Match[str], text: str) -> str:
    """A capital letter at the start of a sentence."""
    before = run.string[: run.start()].rstrip()
    return text[:1].upper() + text[1:] if not before or before[-1] in ".!?}" else text
