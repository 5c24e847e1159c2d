"""Inspects spectra by measurement and checks every sentence, or checks records made before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agent.errors import ReadError, SpectrumError, WorkbenchError
from agent.examples.examples import read_examples
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task, load_tasks
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from train.review.sentence_rules import RULES, SentenceFault, check, take_apart
from train.simulate.realism.library import Library

RECORDS = (".jsonl", ".json")


@dataclass
class SentenceAudit:
    """What was found so far."""

    records: int = 0
    statements: int = 0
    faulty_records: int = 0
    faults: list[tuple[str, str, SentenceFault]] = field(default_factory=list)
    """The spectrum, the task and the fault."""

    def add(self, record: Trajectory) -> None:
        apart = take_apart(record)
        found = check(apart)
        self.records += 1
        self.statements += len(apart.statements)
        self.faulty_records += bool(found)
        name = Path(record.spectrum.path).name or record.spectrum.object_id
        self.faults += [(name, record.task, fault) for fault in found]

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
        found.add(record)
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
