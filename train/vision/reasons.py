"""Why the answer is what it is: those of the things said that speak most for the kind."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from agent.evidence.kinds import builtin_kinds
from agent.evidence.words import KIND_NAMES
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import FloatArray
from agent.tasks.catalogue import bundled_task
from agent.tasks.task import Evidence, Task
from train.vision.grades import DEPTHS, WHOLE, Readings, asked_features, is_absence, value_of

REASONS = 3
LEAST_WORTH = 0.3  # nats below which a sign is no reason
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
    phrases = {feature: phrase for each in said for feature, phrase in each.items()}
    sort_of = {feature: _sort_of_reason(feature, phrases[feature]) for feature in worth}
    found = [feature for feature in sorted(worth, key=lambda each: -worth[each])
             if worth[feature] >= LEAST_WORTH and sort_of[feature] != "trace"]  # fmt: skip
    if answer == "YES":
        found.sort(key=lambda each: sort_of[each] != "sign")
    sorts: list[str] = []
    for feature in found:
        sort = sort_of[feature]
        is_enough = answer == "YES" and sorts.count("sign") >= ENOUGH_SIGNS
        if len(sorts) < REASONS and (sort == "sign" or not (is_enough or sort in sorts)):
            sorts.append(sort)
            yield phrases[feature]


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
    of_label = bundled_task(label)
    for_label = _nats_for(task, answer, label, said, read)
    found = {}
    for number, each in enumerate(said):
        for feature, phrase in each.items():
            value = value_of(feature, float(read.ranks[number, asked_features().index(feature)]))
            if is_absence(phrase):
                value = ABSENT.get(feature, 0.0)
            claim = claimed(feature, value, task)
            if answer == "NO":
                own = 0.0 if of_label is None else claimed(feature, value, of_label)
                claim = max(-claim, own) if claim <= 0 else -claim
            if claim > 0 or (claim == 0 and feature in COMMON and not is_absence(phrase)):
                found[feature] = claim + for_label.get(feature, 0.0)
    return found


def claimed(feature: str, value: float, task: Task) -> float:
    """What the task's own criteria make of a value, in nats; 0 if none names the quantity."""
    return sum(each.log_odds(value) for each in _criteria(task).get(feature, ()))


@cache
def _criteria(task: Task) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for each in task.evidence:
        for target in each.target if each.kind not in ("ratio", "quality") else ():
            names = {"line": f"EW_{target}", "width": f"{target}_em_fwhm"}
            name = SAME_LINE.get(target, names.get(each.kind, target))
            found.setdefault(name if name in asked_features() else target, []).append(each)
    return found


def _nats_for(
    task: Task, answer: Verdict, label: str, said: Sequence[Mapping[str, str]], read: Readings
) -> dict[str, float]:
    """How much each quantity speaks for the kind: against the class asked about, or a rival."""
    kinds = builtin_kinds()
    if label not in kinds.labels:
        return {}
    by_feature, row = _nats(said, read), kinds.labels.index(label)
    if answer == "NO":
        against = by_feature[:, kinds.labels.index(task.id)]
    else:
        totals = by_feature.sum(axis=0)
        totals[row] = -np.inf
        # A rival may share the best signs: half of the weight is what tells from all others.
        against = 0.5 * (by_feature[:, int(np.argmax(totals))] + by_feature.mean(axis=1))
    told = {feature for each in said for feature in each}
    told_by = dict(zip(kinds.features, (by_feature[:, row] - against).tolist(), strict=True))
    return {feature: told_by[feature] for feature in told}


def _nats(said: Sequence[Mapping[str, str]], read: Readings) -> FloatArray:
    """(features, kinds): how much each quantity that was told speaks for each kind."""
    kinds = builtin_kinds()
    values, errors = (np.full((1, len(kinds.features)), np.nan) for _ in range(2))
    for number, each in enumerate(said):
        for feature in each:
            column, place = asked_features().index(feature), kinds.features.index(feature)
            rank, error = float(read.ranks[number, column]), float(read.errors[number, column])
            low, middle, high = (value_of(feature, rank + part) for part in (-error, 0.0, error))
            values[0, place], errors[0, place] = middle, 0.5 * (high - low)
    parts = kinds.terms(values, errors)[0][:, None] * kinds.weights
    by_feature: FloatArray = parts.reshape(len(kinds.features), -1, len(kinds.labels)).sum(axis=1)
    return by_feature


def _sort_of_reason(feature: str, said: str) -> str:
    if is_absence(said):
        return "absence"
    if said.startswith("trace"):
        return "trace"
    return "colour" if feature.startswith("colour_") else "sign"
