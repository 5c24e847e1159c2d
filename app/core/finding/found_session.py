"""A session of the chosen candidates, each with where it comes from and its rank."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from agent.evidence.quick import quick_weights
from agent.tasks.catalogue import find_task
from agent.tasks.look import look_task
from app.core.errors import disk_errors
from app.core.finding.choice import ODD, FoundChoice
from app.core.finding.looking import FLAGS
from app.core.finding.table import FindTable, write_table
from app.core.importing.importer import import_list
from app.core.importing.opening import ImportReport
from app.core.progress import EstimatedProgress, silent
from app.core.queue.column_values import FOUND_PREFIX
from app.core.session.provenance import FOUND
from app.core.session.session import Session, new_session
from app.core.session.spectra_folders import allow_list_folders, list_folders

CARRIED = (
    "object_id", "path", "row", "ra", "dec", "snr", "survey", "epoch", "velocity_kms",
    "velocity_error_kms", "low", "high",
)  # fmt: skip
TELLING = ("kind", "kind_p", "oddness")  # of the class: blind mode hides what begins with found_


def allow_sources(table: FindTable) -> None:
    """Remember that this person searched these places: sessions from this table may read them."""
    folders = [
        source if Path(source).is_dir() else str(Path(source).parent) for source in table.sources
    ]
    allow_list_folders(table.folder.absolute(), folders)


def found_session(
    table: FindTable,
    choice: FoundChoice,
    location: Path,
    reviewer: str,
    *,
    trust_paths: bool = False,
    progress: EstimatedProgress = silent,
) -> tuple[Session, ImportReport]:
    """Make the session, and beside it the list that it was made from.

    Raises NoRowAllowedError where the spectra are in folders that nobody searched here.
    """
    task = choice.wanted.task
    target = look_task() if task == ODD else table.own_task(task) or find_task(task)
    list_path = location.with_name(f"{location.stem}-found.parquet")
    session = new_session(location, target, reviewer)
    try:
        with disk_errors(list_path):
            write_table(list_path, _rows(table, choice))
        report = import_list(
            session, list_path, allow_absolute=trust_paths,
            allowed=list_folders(table.folder.absolute()), progress=progress,
            # The list is in the order of its rank; a score would tell in blind mode.
            roles={"score": "", "label": ""},
        )  # fmt: skip
        about = {"table": table.folder.name, "id": table.id, "weights": quick_weights().sha256}
        about |= {**choice.as_json(), "sentence": choice.sentence}
        session.set_fact(FOUND, json.dumps(about, ensure_ascii=False))
    except BaseException:
        session.database.discard()
        list_path.unlink(missing_ok=True)
        raise
    return session, report


def _rows(table: FindTable, choice: FoundChoice) -> dict[str, Any]:
    task = choice.wanted.task
    telling = {name: name for name in TELLING}
    if task != ODD:
        telling |= {f"p_{task}": "p"}
        telling |= {f"quick_{task}": "quick"} if task in table.settings.tasks else {}
    rows = table.rows(choice.numbers, [*CARRIED, "quality", *telling])
    quality = rows.pop("quality")
    told = {f"{FOUND_PREFIX}{short}": rows.pop(name) for name, short in telling.items()}
    others = table.rows([number for each in choice.others for number in each], ["path", "row"])
    named = iter(zip(others["path"], others["row"], strict=True))
    return {
        **rows,
        **told,
        "flaws": [", ".join(flags_of(bits)) for bits in quality],
        "found_rank": list(range(1, len(choice.numbers) + 1)),
        "found_score": choice.scores.tolist(),
        "epochs": choice.epochs.tolist(),
        "other_epochs": [
            " | ".join(f"{path}#{row}" if row else path for path, row in islice(named, len(each)))
            for each in choice.others
        ],
    }


def flags_of(bits: int) -> list[str]:
    return [name for place, name in enumerate(FLAGS) if bits >> place & 1]
