"""Takes the record of a measured inspection apart into its statements and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from agent.spectra.spectrum import Window
from agent.trajectory.trajectory import Step, Trajectory

Place = Literal["opening", "look", "answer"]
Row = Mapping[str, Any]

N = r"-?\d+(?:\.\d+)?"
LINE = re.compile(
    rf"(?P<doubt>no |hint of )?(?P<name>[^;:.]{{1,40}}?) (?P<state>emission|absorption|unclear)"
    rf", EW (?P<ew>{N})(?: ± (?P<error>{N}))? Å(?:, FWHM (?P<fwhm>\d+) km/s)?(?:: (?P<remark>.+))?",
    re.IGNORECASE,
)
MEASURED = re.compile(r"Measured in (?P<label>.+?): (?P<parts>.*?)\. (?P<sum>This [a-z ]+\.)")
OPENING = re.compile(
    r"it looks like [^:.]+: (?P<parts>.+?)\.(?= Measured in the whole| First I look at|$)"
)
WHOLE = re.compile(r"Measured in the whole spectrum: (?P<parts>.+?)\.(?= First I look at|$)")
BOX = re.compile(r"^\\boxed\{\w+\} ?")
SENTENCE_END = re.compile(r"\. (?=[A-Z])|\.$")
PREFIX = re.compile(r"^(?:On the other side|It looks more like [^:]+): ")
NO_CLAIM = re.compile(
    r"^(?:Not testable here|Confidence is low|The runner-up is|It looks more like|As a whole it)"
)


@dataclass(frozen=True)
class LineNumbers:
    """What a statement says of a line; `doubt` is "no", "hint of" or empty."""

    name: str
    state: str
    doubt: str
    ew: float
    error: float | None
    fwhm: float | None


@dataclass(frozen=True)
class Statement:
    """One claim of a text, as it stands between two semicolons."""

    text: str
    place: Place
    look: int = -1
    """The number of the look it is about."""

    @cached_property
    def line(self) -> LineNumbers | None:
        match = LINE.fullmatch(self.text)
        if match is None:
            return None
        number = {
            key: None if match[key] is None else float(match[key]) for key in ("error", "fwhm")
        }
        doubt = (match["doubt"] or "").strip().lower()
        return LineNumbers(match["name"], match["state"], doubt, float(match["ew"]), **number)


@dataclass(frozen=True)
class AuditedRecord:
    """A record with its statements; `looks` are the steps that opened a window."""

    record: Trajectory
    statements: tuple[Statement, ...]
    looks: tuple[Step, ...]

    @property
    def text(self) -> str:
        return " ".join(step.text for step in self.record.steps if step.kind in ("think", "answer"))

    @property
    def windows(self) -> list[Window]:
        return [
            (float(low), float(high)) for low, high in (step.range or (0, 0) for step in self.looks)
        ]

    def rows(self, key: str) -> Iterator[Row]:
        """The rows of all tables of the record: lines, values or edges."""
        for step in self.record.steps:
            yield from (row for row in step.measured.get(key, ()) if isinstance(row, Mapping))


def take_apart(record: Trajectory) -> AuditedRecord:
    looks = tuple(step for step in record.steps if step.is_look and not step.error)
    return AuditedRecord(record, tuple(_statements(record)), looks)


def _statements(record: Trajectory) -> Iterator[Statement]:
    number = -1
    for step in record.steps:
        if step.by != "agent":
            continue
        if step.kind == "think":
            for pattern in (OPENING, WHOLE):
                opening = pattern.search(step.text) if number < 0 else None
                if opening is not None:
                    yield from (Statement(part, "opening") for part in _split(opening["parts"]))
            for match in MEASURED.finditer(step.text):
                yield from (Statement(part, "look", number) for part in _split(match["parts"]))
        elif step.is_look:
            number += 1
        elif step.kind == "answer":
            for sentence in SENTENCE_END.split(BOX.sub("", step.text)):
                claims = PREFIX.sub("", sentence)
                if claims and not NO_CLAIM.match(claims):
                    yield from (Statement(part, "answer") for part in _split(claims))


def _split(parts: str) -> Iterator[str]:
    yield from (part.strip().rstrip(".") for part in parts.split("; ") if part.strip())
