"""The session of one spectrum that somebody only wants to look at."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

from platformdirs import user_data_path

from agent.tasks.catalogue import task
from app.core.importing.opening import normal
from app.core.importing.suffixes import stem_of
from app.core.session.session import Session, open_session
from app.ui.importing.import_work import ImportOrder, ListOrder, folder_for, make_session

SAMPLE_TASK = "CV"


def sample_session(reviewer: str, folder: Path | None = None, *, blind: bool = False) -> Session:
    """Made where there is none yet: what was judged in it stays. Any thread."""
    home = folder_for(folder or user_data_path("spec-o3-workbench", appauthor=False))
    path = home / "sample.speco3"
    if not path.exists():
        listed = Path(str(resources.files("resources"))) / "sample" / "candidates.csv"
        make_session(
            ImportOrder(
                path=path,
                task=task(SAMPLE_TASK),
                reviewer=reviewer,
                lists=(ListOrder(path=listed),),
                blind=blind,
            )
        )
    return open_session(path, reviewer)


MAX_STEM = 60


def spectrum_session(
    path: Path,
    reviewer: str,
    task_name: str = SAMPLE_TASK,
    folder: Path | None = None,
    *,
    blind: bool = False,
) -> Session:
    """Of all that one file holds, for a task. The same file again opens the same session, so that
    nothing said about it is lost: it lies with the program's own data, not beside the file, which
    may be on an archive's disk. Any thread."""
    wanted, spectrum = task(task_name), normal(path)
    told = f"{spectrum}\0{wanted.id}".encode(errors="replace")
    mark = hashlib.sha256(told).hexdigest()[:12]
    home = folder or user_data_path("spec-o3-workbench", appauthor=False) / "spectra"
    name = f"{stem_of(spectrum.name)[:MAX_STEM]}-{wanted.id}-{mark}.speco3"
    path = folder_for(home) / name
    if not path.exists():
        make_session(
            ImportOrder(
                path=path,
                task=wanted,
                reviewer=reviewer,
                lists=(ListOrder(path=spectrum),),
                blind=blind,
            )
        )
    return open_session(path, reviewer)
