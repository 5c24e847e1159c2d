"""Scores of the automatic audit: `python -m tests.train.review.planted_faults` prints them."""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agent.examples.examples import Example
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from tests.train.review.helpers import audited
from tests.train.review.lies import planted
from train.review.audit import Audit

FAULTS = 60


@dataclass(frozen=True)
class PlantedFault:
    kind: str
    audit: Audit


def planted_faults(
    pairs: Sequence[tuple[Trajectory, Example]], count: int = FAULTS
) -> list[PlantedFault]:
    """So many faults, of all kinds as equally often as the drafts allow."""
    by_kind = defaultdict(list)
    for number, (trajectory, example) in enumerate(pairs):
        for kind, lie in planted(trajectory, example, np.random.default_rng(number)):
            by_kind[kind].append((lie, example))
    chosen: list[tuple[str, tuple[Trajectory, Example]]] = []
    while len(chosen) < count and any(by_kind.values()):
        for kind, left in by_kind.items():
            if left and len(chosen) < count:
                chosen.append((kind, left.pop(0)))
    return [PlantedFault(kind, audited(*lie)) for kind, lie in chosen]


def table(found: Sequence[PlantedFault]) -> list[str]:
    """A line for each kind: how many, how many found, the scores given."""
    lines = []
    for kind in dict.fromkeys(each.kind for each in found):
        own = [each.audit for each in found if each.kind == kind]
        caught = sum(not audit.approves for audit in own)
        scores = Counter((audit.coherence, audit.consistency) for audit in own)
        told = ", ".join(f"{a}/{b} x {n}" for (a, b), n in sorted(scores.items()))
        lines.append(f"{kind:10} {caught} of {len(own)} found; coherence/consistency {told}")
    return lines


def main() -> None:
    from tests.train.draft.spectra import all_examples, write_set
    from train.draft.drafting import DraftRun, draft_all
    from train.draft.settings import DraftSettings

    known = {(one.sha256, one.task): one for one in all_examples()}
    with tempfile.TemporaryDirectory() as folder:
        sets = write_set(Path(folder) / "cold.parquet")
        for settings in (DraftSettings(), DraftSettings(words="short")):
            out = Path(folder) / f"{settings.words}.jsonl"
            draft_all(DraftRun(sets=(sets,), out=out, teacher="measured", settings=settings))
            pairs = [(t, known[t.spectrum.sha256, t.task]) for t in read_trajectories(out)]
            honest = Counter((a.coherence, a.consistency) for a in (audited(*p) for p in pairs))
            print(f"{settings.words} words, {len(pairs)} honest drafts: {dict(honest)}")  # noqa: T201
            print("\n".join(table(planted_faults(pairs))))  # noqa: T201


if __name__ == "__main__":
    main()
