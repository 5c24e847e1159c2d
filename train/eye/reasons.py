"""Why the answer is what it is: those of the things said that speak most for the kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from agent.evidence.kinds import builtin_kinds
from agent.evidence.words import KIND_NAMES
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import FloatArray
from agent.tasks.catalogue import load_tasks
from agent.tasks.task import Evidence, Task
from train.eye.grades import DEPTHS, WHOLE, Readings, is_absence, value_of
from train.eye.targets import asked_gates

REASONS = 3
LEAST_WORTH = 0.3
"""Nats below which a sign is no reason."""
ENOUGH_SIGNS = 2
MOST_AGAINST = 1.5
"""Nats by which what was said may speak for another kind than the one that is named."""
FAMILIES = {
    "a cool star": ("MG", "SS", "CS", "M_DWARF", "L_DWARF", "K", "SYMBIOTIC"),
    "a hot star": ("O", "B", "A", "WD", "SDB"),
    "a star of middle temperature": ("A", "F", "G", "K"),
    "an object with emission lines": ("CV", "QSO", "NEBULA", "SYMBIOTIC", "WR", "YSO"),
}
UNKNOWN_KIND = "another kind of object"
KINDS_SAID = (*KIND_NAMES.values(), *FAMILIES, UNKNOWN_KIND)
COMMON = {*WHOLE, "EW_H_beta", "EW_H_gamma", "EW_H_delta", "H_alpha_em_fwhm", "H_beta_em_fwhm",
          "H_beta_D2", "H_gamma_D2", "H_delta_D2", "EW_CaII_K", "Balmer_jump_3720", "Mg_b",
          "NaI_8190", "CaT", "CaH2", "CaH3", "TiO_7054_edge"}  # fmt: skip
"""Quantities that tell the common kinds of stars apart: reasons that need no task to name them."""

ABSENT = {"Dn4000": 1.0, "Balmer_jump_3720": 1.0, "VO1": 1.0} | dict.fromkeys(DEPTHS, 1.0)
"""Values where nothing is seen, if not 0."""
SAME_LINE = {"HdA": "EW_H_delta", "HgA": "EW_H_gamma", "HgF": "EW_H_gamma"}
"""Indices of the tasks that have nearly the value of an equivalent width."""


def reasons(
    task: Task, answer: Verdict, label: str, said: Sequence[Mapping[str, str]], read: Readings
) -> Iterator[str]:
    """At most three, the best first; one colour and one absence are enough, and a trace is none.

    A member is one by what it has: two signs need neither a colour nor an absence beside them.
    """
    worth = _worth(task, answer, label, said, read)
    phrases = {gate: phrase for each in said for gate, phrase in each.items()}
    sort_of = {gate: _sort_of_reason(gate, phrases[gate]) for gate in worth}
    found = [gate for gate in sorted(worth, key=lambda each: -worth[each])
             if worth[gate] >= LEAST_WORTH and sort_of[gate] != "trace"]  # fmt: skip
    if answer == "YES":
        found.sort(key=lambda each: sort_of[each] != "sign")
    sorts: list[str] = []
    for gate in found:
        sort = sort_of[gate]
        is_enough = answer == "YES" and sorts.count("sign") >= ENOUGH_SIGNS
        if len(sorts) < REASONS and (sort == "sign" or not (is_enough or sort in sorts)):
            sorts.append(sort)
            yield phrases[gate]


def fitting_kind(label: str, task: Task, said: Sequence[Mapping[str, str]], read: Readings) -> str:
    """The kind of something that is not of the class; its family where what was said fits another.

    So an answer never names a dwarf after the signs of a giant.
    """
    kinds = builtin_kinds()
    name = KIND_NAMES[label]
    if label not in kinds.labels or not any(said):
        return name
    totals = _nats(said, read).sum(axis=0)
    totals[kinds.labels.index(task.id)] = -np.inf
    best = kinds.labels[int(np.argmax(totals))]
    if totals[kinds.labels.index(label)] >= totals.max() - MOST_AGAINST:
        return name
    return next((one for one, of in FAMILIES.items() if label in of and best in of), UNKNOWN_KIND)


def _worth(
    task: Task, answer: Verdict, label: str, said: Sequence[Mapping[str, str]], read: Readings
) -> dict[str, float]:
    """Nats for the answer of each quantity that was told and may be a reason."""
    of_label = next((each for each in _tasks() if each.id == label), None)
    for_label = _nats_for(task, answer, label, said, read)
    found = {}
    for number, each in enumerate(said):
        for gate, phrase in each.items():
            value = value_of(gate, float(read.ranks[number, asked_gates().index(gate)]))
            if is_absence(phrase):
                value = ABSENT.get(gate, 0.0)
            claim = claimed(gate, value, task)
            if answer == "NO":
                own = 0.0 if of_label is None else claimed(gate, value, of_label)
                claim = max(-claim, own) if claim <= 0 else -claim
            if claim > 0 or (claim == 0 and gate in COMMON and not is_absence(phrase)):
                found[gate] = claim + for_label.get(gate, 0.0)
    return found


def claimed(gate: str, value: float, task: Task) -> float:
    """What the task's own criteria make of a value, in nats; 0 if none names the quantity."""
    return sum(each.log_odds(value) for each in _criteria(task).get(gate, ()))


@cache
def _criteria(task: Task) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for each in task.evidence:
        for target in each.target if each.kind not in ("ratio", "quality") else ():
            names = {"line": f"EW_{target}", "width": f"{target}_em_fwhm"}
            name = SAME_LINE.get(target, names.get(each.kind, target))
            found.setdefault(name if name in asked_gates() else target, []).append(each)
    return found


@cache
def _tasks() -> tuple[Task, ...]:
    return tuple(each for each in load_tasks(on_fault=lambda fault: None) if each.path is None)


def _nats_for(
    task: Task, answer: Verdict, label: str, said: Sequence[Mapping[str, str]], read: Readings
) -> dict[str, float]:
    """How much each quantity speaks for the kind: against the class asked about, or a rival."""
    kinds = builtin_kinds()
    if label not in kinds.labels:
        return {}
    by_gate, row = _nats(said, read), kinds.labels.index(label)
    if answer == "NO":
        against = by_gate[:, kinds.labels.index(task.id)]
    else:
        totals = by_gate.sum(axis=0)
        totals[row] = -np.inf
        # A rival may share the best signs: half of the weight is what tells from all others.
        against = 0.5 * (by_gate[:, int(np.argmax(totals))] + by_gate.mean(axis=1))
    told = {gate for each in said for gate in each}
    return {gate: float((by_gate[:, row] - against)[kinds.gates.index(gate)]) for gate in told}


def _nats(said: Sequence[Mapping[str, str]], read: Readings) -> FloatArray:
    """(gates, kinds): how much each quantity that was told speaks for each kind."""
    kinds = builtin_kinds()
    values, errors = (np.full((1, len(kinds.gates)), np.nan) for _ in range(2))
    for number, each in enumerate(said):
        for gate in each:
            column, place = asked_gates().index(gate), kinds.gates.index(gate)
            rank, error = float(read.ranks[number, column]), float(read.errors[number, column])
            low, middle, high = (value_of(gate, rank + part) for part in (-error, 0.0, error))
            values[0, place], errors[0, place] = middle, 0.5 * (high - low)
    parts = kinds.terms(values, errors)[0][:, None] * kinds.weights
    by_gate: FloatArray = parts.reshape(len(kinds.gates), -1, len(kinds.labels)).sum(axis=1)
    return by_gate


def _sort_of_reason(gate: str, said: str) -> str:
    if is_absence(said):
        return "absence"
    if said.startswith("trace"):
        return "trace"
    return "colour" if gate.startswith("colour_") else "sign"
