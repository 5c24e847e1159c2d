"""The data card: content of the sets and how they were made, for people and for programs."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from agent.checked_toml import printable
from agent.errors import write_errors
from train.bench.build import Bench
from train.bench.splits import Choice

FIGURES_FILE, CARD_FILE = "bench.json", "README.md"
MAX_FAULTS = 1000
FAULTS_SHOWN = 20
USES = {
    "train": "training, about balanced",
    "test": "the main test, about 1:5",
    "cold": "candidates for the cold start, all of them from train",
    "cross": "the cross-task test",
}


def write_card(
    out: Path, bench: Bench, archives: Sequence[Path], catalogues: Sequence[str]
) -> None:
    figures = figures_of(bench, [path.name for path in archives], list(catalogues))
    with write_errors(out):
        text = json.dumps(figures, indent=1, allow_nan=False) + "\n"
        (out / FIGURES_FILE).write_text(text, encoding="utf-8")
        parts = (*_about(figures), *_sets(figures), *_negatives(figures), *_rest(figures))
        (out / CARD_FILE).write_text("\n".join(parts), encoding="utf-8")


def figures_of(bench: Bench, archives: list[str], catalogues: list[str]) -> dict[str, Any]:
    """All figures as plain values, which only depend on the settings and the archive."""
    sources = bench.sources
    objects, sizes = np.unique(sources.object, return_counts=True)
    scored = sum(found.scored for found in bench.tasks.values())
    accepted = sum(found.accepted for found in bench.tasks.values())
    return {
        "archives": archives,
        "catalogues": catalogues,
        "simulated": bench.simulated,
        "settings": asdict(bench.settings),
        "spectra": len(sources) + len(bench.faults),
        "measured": int(sources.is_measured.sum()),
        "objects": int(objects.size),
        "most_spectra_of_one_object": int(sizes.max(initial=0)),
        "surveys": dict(sorted(Counter(sources.survey.tolist()).items())),
        "faulty": len(bench.faults),
        "faults": bench.faults[:MAX_FAULTS],
        "tasks": {
            task: {**asdict(found), "acceptance": found.acceptance}
            for task, found in bench.tasks.items()
        },
        "acceptance": accepted / scored if scored else 0.0,
        "files": {name: _of_file(bench, rows) for name, rows in bench.files.items()},
        "notes": bench.notes,
    }


def _of_file(bench: Bench, rows: Sequence[Choice]) -> dict[str, Any]:
    by_task: dict[str, list[Choice]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    return {
        "rows": len(rows),
        "objects": len({int(bench.sources.object[row.source]) for row in rows}),
        "tasks": {task: _of_rows(bench, rows_of_task) for task, rows_of_task in by_task.items()},
    }


def _of_rows(bench: Bench, rows: Sequence[Choice]) -> dict[str, Any]:
    sources = bench.sources
    indices = [row.source for row in rows]
    low, middle, high = np.quantile(sources.snr[indices], (0.1, 0.5, 0.9)).tolist()
    found: dict[str, Any] = {
        "YES": sum(row.answer == "YES" for row in rows),
        "NO": sum(row.answer == "NO" for row in rows),
        "filled": sum(row.filled for row in rows),
        "surveys": dict(sorted(Counter(sources.survey[indices].tolist()).items())),
        "snr": {"p10": round(low, 2), "median": round(middle, 2), "p90": round(high, 2)},
    }
    if sources.knows_truth:
        is_yes = [row.answer == "YES" for row in rows]
        is_true = (sources.label[indices] == np.array([row.task for row in rows])).tolist()
        pairs = list(zip(is_yes, is_true, strict=True))
        found["wrong_YES"] = sum(yes and not true for yes, true in pairs)
        found["wrong_NO"] = sum(true and not yes for yes, true in pairs)
    return found


def _about(figures: Mapping[str, Any]) -> list[str]:
    settings = figures["settings"]
    kind = "simulated spectra, no observations" if figures["simulated"] else "survey spectra"
    known = ", ".join(figures["catalogues"]) or "the simulation's truth"
    missing = settings["uncatalogued"]
    less = f", without {missing:.0%} of the members" if not figures["catalogues"] else ""
    surveys = ", ".join(f"{name or 'unnamed'} {n}" for name, n in figures["surveys"].items())
    return [
        "# SpecVI-Bench",
        "",
        f"Spectra, the question whether each shows a member of a class, and the answer: {kind}.",
        "",
        f"- Archive: {_escaped(figures['archives'])}; {figures['spectra']} spectra ({surveys}), "
        f"{figures['objects']} objects; {figures['faulty']} could not be used.",
        f"- Catalogues: {_escaped([known])}{less}.",
        f"- S/N over {settings['min_snr']:g}; the best spectrum of each object. Main sets from "
        f"{settings['survey'] or 'any survey'}.",
        "- Objects are identified by position (friends of friends within 3 arcsec) and content; "
        "none is both in train and in test, and no cold-start candidate is in a test.",
        f"- Seed {settings['seed']}; all settings and figures are in {FIGURES_FILE}.",
        "- Licence: the terms of the archive and the catalogues apply to their spectra and labels; "
        "simulated ones have no such terms.",
        "",
    ]


def _sets(figures: Mapping[str, Any]) -> list[str]:
    lines = ["## Sets", "", "| file | task | YES | NO | S/N 10 %, median, 90 % | surveys | wrong |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, found in figures["files"].items():
        for task, rows_of_task in found["tasks"].items():
            snr = rows_of_task["snr"]
            spread = f"{snr['p10']:.0f}, {snr['median']:.0f}, {snr['p90']:.0f}"
            surveys = ", ".join(f"{survey} {n}" for survey, n in rows_of_task["surveys"].items())
            wrong = rows_of_task.get("wrong_YES", 0) + rows_of_task.get("wrong_NO", 0)
            noise = str(wrong) if "wrong_NO" in rows_of_task else "unknown"
            lines.append(
                f"| {name} | {task} | {rows_of_task['YES']} | {rows_of_task['NO']} | {spread} | "
                f"{_escaped([surveys])} | {noise} |"
            )
    uses = [f"{name}: {use}" for name, use in USES.items()]
    uses.append("survey-NAME: the test objects as observed by that survey")
    return [*lines, "", "; ".join(uses) + ".", ""]


def _negatives(figures: Mapping[str, Any]) -> list[str]:
    settings = figures["settings"]
    lines = [
        "## Hard negatives",
        "",
        "A weak classifier for each class (trees on line and band measurements, trained on its "
        f"catalogue against random sources, cross-fitted in {settings['folds']} folds) scored all "
        f"sources in no catalogue; those with p > {settings['p_negative']:g} were accepted: "
        f"{figures['acceptance']:.2%} of all scores (published: 1.74 %).",
        "",
        "| task | in catalogue | scored | accepted | rate | true members accepted |",
        "|---|---|---|---|---|---|",
    ]
    for task, found in figures["tasks"].items():
        noise = found["members_accepted"]
        lines.append(
            f"| {task} | {found['positives']} | {found['scored']} | {found['accepted']} | "
            f"{found['acceptance']:.2%} | {'unknown' if noise is None else noise} |"
        )
    kept = "are kept, as label noise" if settings["label_noise"] == "keep" else "were left out"
    note = f"A true member may be in no catalogue: where the truth is known, such members {kept}."
    return [*lines, "", note, ""]


def _rest(figures: Mapping[str, Any]) -> list[str]:
    lines = []
    if figures["notes"]:
        lines += ["## Shortfalls", "", *(f"- {_escaped([note])}" for note in figures["notes"]), ""]
    if figures["faults"]:
        lines += [f"## Spectra that could not be used ({figures['faulty']})", ""]
        for each in figures["faults"][:FAULTS_SHOWN]:
            file, fault = _escaped([Path(each["file"]).name]), _escaped([each["fault"]])
            lines.append(f"- {file} row {each['row']}: {fault}")
        lines.append("")
    return lines


def _escaped(texts: Sequence[str]) -> str:
    """Texts of others on one line, with Markdown escaped."""
    return re.sub(r"[|<>\[\]`*_\\]", r"\\\g<0>", printable(", ".join(texts), 300))
