"""SpecVI-Bench as published: Parquet rows for reinforcement learning with verl.

A row has `data_source`, `prompt`, `reward_model.ground_truth` and, nested in `extra_info`, the
arguments of the tool: wavelength, flux, redshift.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.checked_toml import printable
from agent.child_process.rows_in_child import rows_in_child
from agent.errors import WorkbenchError
from agent.examples.examples import Example, write_examples
from agent.protocol.wording_file import write_wording
from agent.protocol.wording_rows import WordingRows
from train.bench.published_rows import Node, example_of, first_value, nodes_of, task_of
from train.bench.sharegpt import conversation_files, copy_conversations
from train.bench.tables import parquet_rows
from train.wordings import FOLDER, PUBLISHED_NAME

MAX_FILES = 1000
MEMORY = 4 * 1024**3  # of the child process that reads them
ROWS_AT_ONCE = 32
HEAVY = ("images", "image")
SURVEYS = ("SDSS", "DESI")
CROSS_TASKS = ("O", "B", "A")


@dataclass
class ImportCounts:
    """Number of rows read, and why some were left out."""

    words: WordingRows = field(default_factory=WordingRows)
    rows: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    split_of: dict[str, set[str]] = field(default_factory=dict)
    """Splits of each content hash; the published sets may have one spectrum in both."""


def convert(folder: Path, out: Path) -> str:
    """Convert published files of both kinds to our sets in `out`, and return a summary."""
    files = _parquet_files(folder)
    counts = ImportCounts()
    made = []
    for name, set_files in sorted(_by_set(files).items()):
        count = write_examples(out / f"{name}.parquet", _examples(set_files, name, counts))
        made.append(f"{name} {count}")
    conversations = conversation_files(folder)
    if conversations:
        count, faults = copy_conversations(conversations, out, counts.words.add)
        made.append(f"conversations {count}")
        counts.refused.update(faults)
    if not counts.rows and not conversations:
        raise WorkbenchError(f"{folder} has neither SpecVI-Bench rows nor conversations")
    said = _keep_wording(counts.words, folder, out)
    shared = sum(len(splits) > 1 for splits in counts.split_of.values())
    _write_card(out, folder, made, counts, shared, said)
    messages = [f"{count} rows left out: {why}" for why, count in counts.refused.most_common(5)]
    if shared:
        messages.append(f"{shared} spectra are in more than one of train and test")
    return "; ".join([", ".join(made), *messages, *said])


def _keep_wording(words: WordingRows, folder: Path, out: Path) -> list[str]:
    """Keep the words of the rows in `out`, and say what was found."""
    if not words.texts:
        return ["the rows hold no wording of a known class"]
    wording, notes = words.wording(PUBLISHED_NAME, source=printable(folder.name, 80))
    write_wording(wording, out / FOLDER)
    classes = ", ".join(wording.tasks)
    kept = f"the words of the rows ({classes}) are kept in {FOLDER} ({wording.sha256[:12]})"
    return [kept, *notes]


def _parquet_files(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*.parquet")):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            found.append(path)
        if len(found) > MAX_FILES:
            raise WorkbenchError(f"{folder} has more than {MAX_FILES} Parquet files")
    return [path for path in found if _has_rows(path)]


def _has_rows(path: Path) -> bool:
    """Whether a file has the columns of benchmark rows and not those of conversations."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        names = set(parquet.read_schema(path).names)
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise WorkbenchError(f"{path} cannot be read: {printable(str(error), 160)}") from error
    return bool(names & {"reward_model", "extra_info", "prompt"}) and "conversations" not in names


def _by_set(files: list[Path]) -> dict[str, list[Path]]:
    """The files that may have rows of each of our sets."""
    found: dict[str, list[Path]] = {}
    for path in files:
        for name in _survey_of(path) or ("train", "test", "cross"):
            if name in ("train", "test") and _split_from_name(path.stem) not in ("", name):
                continue
            found.setdefault(name, []).append(path)
    return found


def _survey_of(path: Path) -> tuple[str, ...]:
    return tuple(f"survey-{each}" for each in SURVEYS if each.casefold() in path.name.casefold())


def _set_of(nodes: Sequence[Node], path: Path) -> str:
    if survey := _survey_of(path):
        return survey[0]
    if task_of(nodes, path) in CROSS_TASKS:
        return "cross"
    told = str(first_value(nodes, ("split",)) or "")
    return _split_from_name(path.stem) or _split_from_name(told) or "test"


def _split_from_name(text: str) -> str:
    low = text.casefold()
    return "train" if "train" in low else "test" if re.search("test|val", low) else ""


def _examples(files: list[Path], name: str, counts: ImportCounts) -> Iterator[Example]:
    for path in files:
        work = parquet_rows, path, ROWS_AT_ONCE, None, HEAVY
        for row in rows_in_child(*work, memory=MEMORY, kind=WorkbenchError):
            nodes = nodes_of(row)
            if _set_of(nodes, path) != name:
                continue
            counts.rows += 1
            counts.words.add(row)
            try:
                made = example_of(nodes, path, name)
            except WorkbenchError as error:
                counts.refused[str(error)] += 1
                continue
            split = "train" if name == "train" else "test"
            counts.split_of.setdefault(made.sha256, set()).add(split)
            yield made


def _write_card(
    out: Path, folder: Path, made: list[str], counts: ImportCounts, shared: int, words: list[str]
) -> None:
    refused = [f"- left out, {why}: {count}" for why, count in counts.refused.most_common()]
    lines = [
        "# SpecVI-Bench as published",
        "",
        f"Converted from the files in {printable(folder.name, 80)}; the terms of their publication "
        "apply.",
        "",
        *(f"- {each}" for each in made),
        *refused,
        f"- spectra in more than one of train and test, as published: {shared}",
        *(f"- {each}" for each in words),
        "",
    ]
    figures = {
        "made": made,
        "rows": counts.rows,
        "left_out": dict(counts.refused),
        "in_two_splits": shared,
        "wording": words,
    }
    (out / "README.md").write_text("\n".join(lines), encoding="utf-8")
    (out / "bench.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
