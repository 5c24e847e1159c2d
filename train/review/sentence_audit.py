"""Inspects spectra by measurement and checks every sentence, or checks records made before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from agent.errors import ReadError, SpectrumError, WorkbenchError
from agent.evidence.features import FEATURES
from agent.evidence.places import feature_range
from agent.examples.examples import read_examples
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.lines import builtin_lines
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum, Window
from agent.tasks.catalogue import find_task, load_tasks
from agent.trajectory.trajectory import Step, Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from train.simulate.realism.library import Library
from train.toml_beside import toml_beside

RECORDS = (".jsonl", ".json")
CLEAR_SIGMA = 3.0
DEEP_TIO5 = 0.85
HOT_LINES = re.compile(r"^(?:He II?|Bowen|N III|C IV|Si I[IV]{1,2}) ")
SLACK_A = 20.0  # for the velocity of the star and the width of the feature
HYDROGEN_WORDS = re.compile(r"(?:weak|strong) H[γδ]|strong CH|(?<!no )G band")
MINUS_ZERO = re.compile(r"-0(?:\.0+)?(?![\d.])")
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


@dataclass
class SentenceAudit:
    """What was found."""

    records: int = 0
    statements: int = 0
    faulty_records: int = 0
    faults: list[tuple[str, str, SentenceFault]] = field(default_factory=list)
    """The spectrum, the task and the fault."""

    def markdown(self, examples: int = 3) -> str:
        """A table of the rules that were broken, with the first few faults of each."""
        counts = Counter(fault.rule for _, _, fault in self.faults)
        lines = [
            f"{self.records:,} records, {self.statements:,} statements: {len(self.faults):,} "
            f"faults in {self.faulty_records:,} records.",
            "",
            "| rule | faults |",
            "| --- | ---: |",
            *(f"| {rule} | {counts[rule]} |" for rule in RULES),
            "",
        ]
        for rule in counts:
            shown = [each for each in self.faults if each[2].rule == rule][:examples]
            lines += [f"- {rule}: {name}, {task}: {fault.text}" for name, task, fault in shown]
        return "\n".join(lines)


def audit_records(records: Iterable[Trajectory]) -> SentenceAudit:
    found = SentenceAudit()
    for record in records:
        apart = take_apart(record)
        faults = check(apart)
        found.records += 1
        found.statements += len(apart.statements)
        found.faulty_records += bool(faults)
        name = Path(record.spectrum.path).name or record.spectrum.object_id
        found.faults += [(name, record.task, fault) for fault in faults]
    return found


def records_of(source: Path, tasks: tuple[str, ...] = ()) -> Iterator[Trajectory]:
    """Inspections of the spectra of a folder or set for every task, or records as they are."""
    if source.suffix in RECORDS:
        yield from read_trajectories(source)
        return
    for spectrum, own in _spectra(source):
        yield from inspections(spectrum, tasks or (() if own is None else (own,)))


def inspections(spectrum: Spectrum, tasks: tuple[str, ...] = ()) -> Iterator[Trajectory]:
    """Measured inspections of a spectrum for these tasks, or for all."""
    inspector = MeasuredInspector(draw=False)
    for task in [find_task(name) for name in tasks] or load_tasks():
        try:
            yield run(inspector.inspect(spectrum, task))
        except SpectrumError:
            return  # nothing to draw


def _spectra(source: Path) -> Iterator[tuple[Spectrum, str | None]]:
    """Spectra, each with the one task that is asked about it, or None for all."""
    if source.suffix == ".parquet":
        yield from ((one.spectrum, one.task) for one in read_examples(source))
        return
    if not source.is_dir():
        raise WorkbenchError(f"{source} is no folder of spectra, no Parquet set and no record file")
    listed = (source / "MANIFEST.csv").is_file()
    paths = [base.path for base in Library(source).bases] if listed else sorted(source.iterdir())
    for path in paths:
        try:
            yield read(path), None
        except ReadError:
            continue


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
    look: int = -1  # the number of the look it is about

    @cached_property
    def line(self) -> LineNumbers | None:
        match = LINE.fullmatch(self.text)
        if match is None:
            return None
        error = None if match["error"] is None else float(match["error"])
        fwhm = None if match["fwhm"] is None else float(match["fwhm"])
        doubt = (match["doubt"] or "").strip().lower()
        return LineNumbers(match["name"], match["state"], doubt, float(match["ew"]), error, fwhm)


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
        ranges = (step.range or (0, 0) for step in self.looks)
        return [(float(low), float(high)) for low, high in ranges]

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


_OPPOSITES: dict[str, dict[str, str]] = toml_beside(__file__, "opposites.toml")


@dataclass(frozen=True)
class SentenceFault:
    rule: str
    text: str


def check(record: AuditedRecord) -> list[SentenceFault]:
    """Every fault of a record, each once."""
    found = [SentenceFault(name, text) for name, rule in RULES.items() for text in rule(record)]
    return list(dict.fromkeys(found))


def _lines(record: AuditedRecord) -> Iterator[tuple[str, LineNumbers]]:
    """The statements about lines that are clear, with their numbers."""
    for statement in record.statements:
        if statement.line is not None and statement.line.state != "unclear":
            yield statement.text, statement.line


def signs(record: AuditedRecord) -> Iterator[str]:
    """A line is said to be in emission and its equivalent width is positive, or the reverse."""
    for text, line in _lines(record):
        is_opposite = (line.ew < 0) != (line.state == "emission")
        if line.doubt != "no" and line.ew and is_opposite:
            yield text
        is_clear = line.error and abs(line.ew) >= CLEAR_SIGMA * line.error + 0.01
        if line.doubt == "no" and is_clear and not is_opposite:
            yield text


def noise(record: AuditedRecord) -> Iterator[str]:
    """A line is said to be there and its equivalent width is within its own error."""
    for text, line in _lines(record):
        if not line.doubt and line.error and abs(line.ew) < CLEAR_SIGMA * line.error - 0.01:
            yield text


def states(record: AuditedRecord) -> Iterator[str]:
    """One line is said to be there and not there, or in emission and in absorption."""
    said: dict[str, set[tuple[str, str]]] = {}
    for line in (statement.line for statement in record.statements):
        if line is not None:
            said.setdefault(line.name.casefold(), set()).add((line.doubt, line.state))
    for name, found in said.items():
        for (doubt, state), (other_doubt, other_state) in combinations(sorted(found), 2):
            if (doubt != other_doubt and state == other_state) or not (doubt or other_doubt):
                yield f"{name}: {doubt} {state}, {other_doubt} {other_state}"


def numbers(record: AuditedRecord) -> Iterator[str]:
    """Two numbers for one line, index or band head, in texts or tables."""
    known: dict[str, set[tuple[object, ...]]] = {}
    for row in record.rows("lines"):
        of_line = (row.get("ew"), row.get("ew_error"), row.get("fwhm_kms"))
        known.setdefault(str(row["name"]), set()).add(of_line)
    for row in record.rows("values"):
        known.setdefault(_quantity(record, str(row["name"])), set()).add((_three(row["value"]),))
    for row in record.rows("edges"):
        known.setdefault(str(row["name"]), set()).add((_three(row["drop"]),))
    said: dict[str, set[tuple[object, ...]]] = {}
    for line in (statement.line for statement in record.statements):
        if line is not None:
            said.setdefault(line.name.casefold(), set()).add((line.ew, line.error, line.fwhm))
    for name, values in {**known, **said}.items():
        if len(values) > 1:
            yield f"{name}: {values}"


def _three(value: float) -> float:
    return float(f"{value:.3g}")


def _quantity(record: AuditedRecord, label: str) -> str:
    """The index that a label of a claim or of a feature stands for."""
    for evidence in find_task(record.record.task).evidence:
        if evidence.label == label and len(evidence.target) == 1:
            return evidence.target[0]
    return next((feature.name for feature in FEATURES.values() if feature.label == label), label)


def widths(record: AuditedRecord) -> Iterator[str]:
    """A width of 0 km/s."""
    for statement in record.statements:
        if statement.line is not None and statement.line.fwhm == 0:
            yield statement.text
    features = [step.measured.get("feature") for step in record.looks]
    for row in (*record.rows("lines"), *features):
        if isinstance(row, Mapping) and row.get("fwhm_kms") == 0:
            yield f"table: {row['name']} 0 km/s"


def forbidden(record: AuditedRecord) -> Iterator[str]:
    """A forbidden line in absorption."""
    for text, line in _lines(record):
        if line.name.startswith("[") and line.state == "absorption" and line.doubt != "no":
            yield text
    for row in record.rows("lines"):
        name = str(row["name"])
        label = builtin_lines()[name].label if name in builtin_lines() else name
        if label.startswith("[") and row.get("kind") == "absorption":
            yield f"table: {label} in absorption"


def opposites(record: AuditedRecord) -> Iterator[str]:
    """Two statements of which one says that a feature is there and one that it is not."""
    texts = [one.text for one in record.statements]
    texts = [f"{t[0].lower()}{t[1:]}" if t.startswith(("No ", "Hin")) else t for t in texts]
    for feature, patterns in _OPPOSITES.items():
        there, not_there = (
            [text for text in texts if re.search(p, text)] for p in patterns.values()
        )
        if there and not_there:
            yield f"{feature}: {there[0]} | {not_there[0]}"


def luminosity(record: AuditedRecord) -> Iterator[str]:
    """A giant that is called a dwarf in the reasons for the verdict."""
    if record.record.task != "MG" or record.record.verdict != "YES":
        return
    for step in record.record.steps:
        reasons = step.text.partition("On the other side")[0]
        if step.kind == "answer" and re.search(r": a dwarf|of a dwarf|as in a dwarf", reasons):
            yield reasons


def emission(record: AuditedRecord) -> Iterator[str]:
    """Words for the absorption of hydrogen, or for CH, in a star whose Balmer lines emit."""
    balmer = (
        row for row in record.rows("lines") if row["name"] in ("H_alpha", "H_beta", "H_gamma")
    )
    emitting = any(row.get("ew", 0.0) < -CLEAR_SIGMA * row.get("ew_error", 0.0) for row in balmer)
    for statement in record.statements:
        if emitting and statement.line is None and HYDROGEN_WORDS.search(statement.text):
            yield statement.text


def windows(record: AuditedRecord) -> Iterator[str]:
    """A statement about a window that it does not lie in, or that was never opened."""
    opened = record.windows
    ranges = [window.range for window in find_task(record.record.task).windows]
    for statement in record.statements:
        place = _place(record, statement)
        if place is None or statement.place == "opening":
            continue
        if statement.place == "answer" and not any(_contains(each, place) for each in ranges):
            continue  # no window of the task shows it: it was measured in the whole spectrum
        shown = opened[statement.look : statement.look + 1] if statement.look >= 0 else opened
        if not any(_contains(window, place) for window in shown):
            yield f"{statement.place}: {statement.text}"


def _contains(window: Window, place: Window) -> bool:
    return window[0] - SLACK_A <= place[0] and place[1] <= window[1] + SLACK_A


def _place(record: AuditedRecord, statement: Statement) -> Window | None:
    """Where the feature of a statement lies at rest; None if the whole spectrum shows it."""
    if statement.line is not None:
        name = statement.line.name.casefold()
        known = (line for line in builtin_lines().sorted_lines if line.label.casefold() == name)
        line = next(known, None)
        return None if line is None else (line.wavelength, line.wavelength)
    for evidence in find_task(record.record.task).evidence:
        if evidence.label in statement.text and len(evidence.target) == 1:
            return feature_range(evidence.target[0])
    return None


def molecules(record: AuditedRecord) -> Iterator[str]:
    """Lines of hot gas in absorption in a star with TiO bands, where bands imitate them."""
    rows = (row for row in record.rows("values") if str(row["name"]).startswith("TiO5"))
    tio5 = [row["value"] for row in rows if "excess" not in row["name"]]
    if not any(value < DEEP_TIO5 for value in tio5):
        return
    for text, line in _lines(record):
        if line.state == "absorption" and line.doubt != "no" and HOT_LINES.match(line.name):
            yield text


def zeros(record: AuditedRecord) -> Iterator[str]:
    """A zero with a minus sign."""
    yield from (one.text for one in record.statements if MINUS_ZERO.search(one.text))


def verdicts(record: AuditedRecord) -> Iterator[str]:
    """The last thought puts the chance on the other side of the verdict."""
    match = re.search(r"chance of YES (?:at (\d+)|(above|below))", record.text)
    if match is None or record.record.verdict is None or match.group(1) == "50":
        return  # 50 may be rounded from either side
    says_yes = int(match.group(1)) >= 50 if match.group(1) else match.group(2) == "above"
    if says_yes != (record.record.verdict == "YES"):
        yield match.group()


RULES: Mapping[str, Callable[[AuditedRecord], Iterator[str]]] = {
    "sign against its word": signs,
    "there, and within the error": noise,
    "one line, two states": states,
    "two numbers for one quantity": numbers,
    "width of 0 km/s": widths,
    "forbidden line in absorption": forbidden,
    "opposite statements": opposites,
    "a giant called a dwarf": luminosity,
    "absorption of an emission line": emission,
    "outside the windows opened": windows,
    "a band called a line": molecules,
    "minus zero": zeros,
    "thought against answer": verdicts,
}
