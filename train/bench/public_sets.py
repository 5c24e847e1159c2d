"""Labelled sets that others published or a user has, as sets of our questions."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from agent.checked_toml import printable
from agent.errors import ReadError, WorkbenchError
from agent.examples.examples import Example, column, example, write_examples
from agent.spectra.readers import read_numbered
from app.cli.services.fetch import fetch_rows
from app.core.fetching.fetch_run import RADIUS_ARCSEC
from app.core.fetching.rows import FetchRow, is_missing, rows_of_list
from app.services.archives.archive import Archive
from train.bench.published import convert
from train.bench.settings import BenchSettings

NONE = ""
"""Stands for a class that is none of ours: the answer to each question is NO."""
SETS = ("test", "survey-SDSS", "survey-DESI", "cross")
CLASS_COLUMN = "sub_group"  # of AstroVLBench; other lists have usual names
IDENTITY = ("field", "plate", "mjd", "fiberid", "catalogid", "targetid", "specid")
LISTED = "listed"


@dataclass(frozen=True, kw_only=True)
class PublicSet:
    """`classes` are theirs, of which * stands for any ending, with ours; others are left out."""

    title: str
    source: str
    classes: Mapping[str, str]
    note: str = ""

    def ours(self, theirs: str) -> str | None:
        """Our class for one of theirs; None if it has no counterpart."""
        low = theirs.casefold()
        fits = (own for name, own in self.classes.items() if fnmatchcase(low, name.casefold()))
        return next(fits, None)


PUBLIC = {
    "specvi": PublicSet(
        title="SpecVI-Bench",
        source="Maxwell-Jia/SpecVI-Bench on the Hugging Face hub; arXiv 2601.06498",
        classes={
            **{"cv": "CV", "carbon": "CS", "ss": "SS", "gm": "MG", "wd": "WD"},
            **{"o": "O", "b": "B", "a": "A"},
        },
        note="Figures as printed are F1 in per cent on the whole set, from that paper.",
    ),
    # The layout rests on the dataset's card (Task 5, DESI DR1) and on public code that reads the
    # release: data/Task5_SpecType/ASIB_v1_selection_with_snr.csv has TARGETID and SUB_GROUP, and
    # there are pictures, but no spectra: these come by TARGETID.
    "astrovlbench": PublicSet(
        title="AstroVLBench, spectra of DESI",
        source="Task 5 of XiaomanZhang/AstroVLBench on the Hugging Face hub; arXiv 2604.24589",
        classes=dict.fromkeys(("C1", "C2", "C3", "C4", "D"), NONE),
        note="C1 to C4 are star-forming, composite, Seyfert and LINER galaxies, D has broad lines: "
        "none is a class of the program, so a YES is wrong unless --class says otherwise. Of A and "
        "B it is only known that Hα and Hβ are not both seen. The paper asks other questions, and "
        "no figure of it compares.",
    ),
    "sdss-v": PublicSet(
        title="Expert labels of SDSS-V spectra",
        source="a list of your own",
        classes={"WD*": "WD", "CV": "CV", "sd*": NONE, "STAR": NONE, "EXGAL": NONE},
        note="Of several labels of a spectrum the class of more than half counts. No paper prints "
        "figures of these questions.",
    ),
}


@dataclass(kw_only=True)
class MappedSet:
    names: Sequence[str]  # of the Parquet files
    tasks: tuple[str, ...]
    classes: Sequence[tuple[str, str | None, int]]  # theirs, ours, how many labels
    left_out: Counter[str] = field(default_factory=Counter)  # spectra by reason


def map_rows(folder: Path, out: Path, public: PublicSet) -> MappedSet:
    """The sets of SpecVI-Bench to be judged, which hold their spectra."""
    convert(folder, out)
    files = ((name, out / f"{name}.parquet") for name in SETS)
    rows = {name: column(path, "task") for name, path in files if path.is_file()}
    names = [name for name, own in rows.items() if own]
    if not names:
        raise WorkbenchError(f"{folder} has no rows to be judged, only those for training")
    tasks = Counter(row["task"] for own in rows.values() for row in own)
    classes = [(theirs, ours, tasks[ours]) for theirs, ours in public.classes.items()]
    left_out = json.loads((out / "bench.json").read_text(encoding="utf-8"))["left_out"]
    known = tuple(ours for _, ours, count in classes if count)
    return MappedSet(names=names, tasks=known, classes=classes, left_out=Counter(left_out))


def map_list(
    path: Path,
    out: Path,
    public: PublicSet,
    *,
    roles: Mapping[str, str],
    folder: Path | None,
    archive: Archive | None,
) -> MappedSet:
    """A set of the listed spectra, from a folder or else an archive, each with every question."""
    if folder is not None and not folder.is_dir():
        raise WorkbenchError(f"{folder}: no such folder")
    columns = () if "label" in roles else (CLASS_COLUMN,)
    same: dict[tuple[str, ...], list[FetchRow]] = {}
    for row in rows_of_list(path, roles, spectra=folder):
        identity = (row.wanted.object_id, *(row.wanted.text(name) for name in IDENTITY))
        same.setdefault(identity, []).append(row)
    labels = Counter(_class_of(row, columns) for rows in same.values() for row in rows)
    if not any(labels):
        raise WorkbenchError(f"{path} has no classes: name their column with --role label=COLUMN")
    found = MappedSet(
        names=(LISTED,),
        # Where none of their classes is ours, it is only asked how often YES is said in vain.
        tasks=tuple(dict.fromkeys(filter(None, public.classes.values()))) or BenchSettings.tasks,
        classes=[(theirs, public.ours(theirs), count) for theirs, count in sorted(labels.items())],
    )
    known = []
    for rows in same.values():
        told = Counter(_class_of(row, columns) for row in rows)
        votes = Counter(public.ours(theirs) for theirs in told.elements())
        ours, most = votes.most_common(1)[0]
        theirs = told.most_common(1)[0][0]
        if 2 * most <= len(rows):
            found.left_out["its labels disagree"] += 1
        elif ours is None:
            found.left_out[f"the class {theirs} has no counterpart" if theirs else "no class"] += 1
        else:
            known.append((rows[0], theirs, ours))
    files, reasons = _files([row for row, *_ in known], path, folder, archive, out / "spectra")

    def examples() -> Iterator[Example]:
        for number, (row, theirs, ours) in enumerate(known):
            if (line := row.wanted.line) not in files:
                found.left_out[reasons.get(line, "no spectrum found")] += 1
                continue
            try:
                spectrum = read_numbered(*files[line])
            except ReadError:
                found.left_out["its file cannot be read as a spectrum"] += 1
                continue
            for task in found.tasks:
                yield example(
                    spectrum,
                    task=task,
                    answer="YES" if task == ours else "NO",
                    key=f"{task}-{number}-{row.wanted.object_id}",
                    label=theirs,
                    split="test",
                )

    made = out / f"{LISTED}.parquet"
    if not write_examples(made, examples()):
        made.unlink()
        why = "; ".join(f"{count}: {reason}" for reason, count in found.left_out.most_common(3))
        raise WorkbenchError(f"{path} has no spectrum that can be judged ({why})")
    return found


def _class_of(row: FetchRow, columns: Sequence[str]) -> str:
    return printable(row.wanted.text(*columns) or row.label.strip(), 80)


def _files(
    rows: Sequence[FetchRow], path: Path, folder: Path | None, archive: Archive | None, to: Path
) -> tuple[dict[int, tuple[str, int]], dict[int, str]]:
    """File and row in it of each line of the list, and why others have none."""
    # The list is from others: it must not lead to files elsewhere.
    roots = [each.resolve() for each in (path.parent, folder) if each is not None]
    files = {
        row.wanted.line: (row.path, row.row)
        for row in rows
        if not is_missing(row.path) and any(map(Path(row.path).resolve().is_relative_to, roots))
    }
    missing = [row for row in rows if row.wanted.line not in files]
    if archive is None or not missing:
        return files, {}
    report = fetch_rows(archive, missing, to, RADIUS_ARCSEC, False)
    if report.is_stopped:
        raise WorkbenchError("fetching was stopped: run the same again to go on")
    for each in report.fetched:
        files[each.row.wanted.line] = str(to / each.record.file), 0
    reasons = {row.wanted.line: f"not asked for: {report.gave_up}" for row in missing}
    return files, reasons | {each.row.wanted.line: each.reason for each in report.failed}
