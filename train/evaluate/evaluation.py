"""Makes a table: runs every judge on every set, and writes the figures."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from agent.atomic_file import write_file
from agent.errors import ResourceError, WorkbenchError, write_errors
from agent.examples.examples import column
from agent.hashing import file_hash
from agent.protocol.wording_file import WORDING_NAME
from train.evaluate import tables
from train.evaluate.judgement import JudgeComparison, Judgement, compare, judge_figures
from train.evaluate.judges import Advance, JudgeSpec, choose_keys, judge_set
from train.evaluate.tables import calibration_figures, calibration_markdown
from train.parallel import Workers

SURVEYS = ("LAMOST", "SDSS", "DESI", "ATLAS", "unknown")


def bench_sets(kind: tables.TableKind, bench: Path) -> list[tuple[Path, str]]:
    """The sets a table needs; raises WorkbenchError that names missing ones."""
    found = [(bench / file, name) for file, name in kind.sets]
    missing = ", ".join(path.name for path, _ in found if not path.is_file())
    if missing:
        raise WorkbenchError(f"{bench} has no {missing}: make it with spec-o3-train bench")
    return found


def adapt_to_bench(kind: tables.TableKind, bench: Path) -> tables.TableKind:
    """The table for the bench's own tasks if it has none of the published ones."""
    tasks = {row["task"] for path, _ in bench_sets(kind, bench) for row in column(path, "task")}
    return kind if tasks & {*kind.tasks} or not tasks else replace(kind, tasks=tuple(sorted(tasks)))


def count_judgements(
    kind: tables.TableKind, bench: Path, judges: Sequence[JudgeSpec], limit: int | None
) -> int:
    """Number of judgements of the table, for a progress bar."""
    sets = bench_sets(kind, bench)
    return len(judges) * sum(len(choose_keys(path, limit, kind.tasks)) for path, _ in sets)


def evaluate(
    kind: tables.TableKind,
    bench: Path,
    out: Path,
    judges: Sequence[JudgeSpec],
    *,
    workers: Workers = 1,
    limit: int | None = None,
    seed: int = 0,
    advance: Advance = lambda count: None,
) -> str:
    """Judge, write `out`/NAME.md, .csv and .json, and return the Markdown."""
    sets: dict[str, tables.Rows] = {}
    for path, name in bench_sets(kind, bench):
        rows: tables.Rows = {}
        for spec in judges:
            file = out / "judgements" / path.stem / f"{spec.name}.jsonl"
            check_same_judge(file, spec, path)
            rows[spec.name] = judge_set(
                spec, path, file, workers=workers, limit=limit, tasks=kind.tasks, advance=advance
            )
        if not any(rows.values()):
            raise WorkbenchError(f"{path} has none of the tasks {', '.join(kind.tasks)}")
        sets[name] = rows
    text = _markdown(kind, sets, seed)
    write(out / f"{kind.name}.md", text)
    write(out / f"{kind.name}.csv", tables.as_csv(sets))
    write(out / f"{kind.name}.json", json.dumps(_json(kind, sets, seed), indent=1) + "\n")
    return text


def check_same_judge(file: Path, spec: JudgeSpec, path: Path) -> None:
    """Refuse to resume judgements of another model or set with the same name."""
    proof = {"source": spec.source, "kind": spec.kind, "seed": spec.seed}
    proof |= {"model": _fingerprint(spec), "set": file_hash(path)}
    if spec.wording is not None:
        proof["wording"] = file_hash(spec.wording / WORDING_NAME)
    card = file.with_suffix(".json")
    if not card.is_file():
        write(card, json.dumps(proof, indent=1) + "\n")
        return
    before = json.loads(card.read_text(encoding="utf-8"))
    changed = [name for name in proof if before.get(name) != proof[name]]
    if changed:
        raise WorkbenchError(
            f"{file} has judgements of another {' and '.join(changed)}: give the judge another "
            "name, or remove that file and the one beside it"
        )


def _fingerprint(spec: JudgeSpec) -> str:
    if spec.kind == "specialist":
        folder = Path(spec.source)
        files = sorted(each for each in folder.rglob("*") if each.is_file())
        digest = hashlib.sha256()
        for each in files:
            digest.update(f"{each.relative_to(folder)} {file_hash(each)}\n".encode())
        return digest.hexdigest()
    from agent.inspection.built_in import built_in
    from agent.models.registry import find_model

    own = built_in(spec.source)
    if own is not None and (ref := own.ref()) is not None:
        return ref.sha256
    try:
        return find_model(spec.source).ref.sha256
    except ResourceError as error:
        raise WorkbenchError(str(error)) from error


def _markdown(kind: tables.TableKind, sets: dict[str, tables.Rows], seed: int) -> str:
    lines = [f"## {kind.title}", ""]
    for name, rows in sets.items():
        first = next(iter(rows.values()))
        positives = sum(one.answer == "YES" for one in first)
        title = f"{name}: {positives} positives, {len(first) - positives} negatives"
        lines += tables.set_markdown(title, rows, seed)
        bins = [*tables.snr_bins(), "unknown"]
        means = f"{name}: mean accuracy and F1 by"
        lines += tables.parts_markdown(f"{means} survey", rows, tables.survey_of, SURVEYS)
        lines += tables.parts_markdown(f"{means} S/N", rows, tables.snr_bin_of, bins)
        lines += calibration_markdown(f"{name}: calibration of p(YES)", rows, seed)
        lines += list(_significance(rows, seed))
    return "\n".join(lines)


def _significance(rows: tables.Rows, seed: int) -> Iterator[str]:
    if len(rows) < 2:
        return
    yield "Paired comparison on the same candidates (mean F1 in points, 95 % interval; McNemar):"
    yield ""
    for one in _comparisons(rows, seed):
        change = tables.with_interval(one.f1_difference)
        yield (
            f"- {one.first} against {one.second}: {change}; of {one.n} candidates "
            f"only the first is right on {one.only_first}, only the second on {one.only_second}, "
            f"p = {one.p_value:.2g}"
        )
    yield ""


def _comparisons(rows: tables.Rows, seed: int) -> Iterator[JudgeComparison]:
    for one, two in combinations(rows, 2):
        yield compare(one, two, rows[one], rows[two], seed)


def _json(kind: tables.TableKind, sets: dict[str, tables.Rows], seed: int) -> dict[str, Any]:
    found = {}
    for name, rows in sets.items():
        judges = [_judge_json(judge, own, seed) for judge, own in rows.items()]
        pairs = ((one, tables.figure_json(one.f1_difference)) for one in _comparisons(rows, seed))
        compared = [asdict(one) | {"f1_difference": difference} for one, difference in pairs]
        found[name] = {"judges": judges, "comparisons": compared}
    return {"table": kind.name, "sets": found}


def _judge_json(name: str, judgements: Sequence[Judgement], seed: int) -> dict[str, Any]:
    found = judge_figures(name, judgements, seed)
    p_yes = calibration_figures(judgements, seed)
    shares = ("f1", "precision", "recall", "accuracy")
    return {
        "judge": name,
        "mean_f1": tables.figure_json(found.mean_f1),
        "mean_accuracy": found.mean_accuracy,
        "effort": asdict(found.effort),
        "p_yes": None if p_yes is None else asdict(p_yes),
        "tasks": [
            asdict(task) | {share: tables.figure_json(getattr(task, share)) for share in shares}
            for task in found.tasks
        ],
    }


def write(path: Path, text: str) -> None:
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
