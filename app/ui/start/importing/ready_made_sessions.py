"""Sessions that the program creates itself: the sample, and one for a single spectrum."""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from platformdirs import user_data_path
from sqlalchemy import select

from agent.hashing import bytes_hash
from agent.tasks.catalogue import find_task, look_task
from agent.tasks.task import Task
from app.core.database.tables import lists
from app.core.importing.opening import normalized_path
from app.core.importing.spectrum_files import stem_of
from app.core.session.session import Session, list_roles, open_session
from app.ui.start.importing.import_work import ImportOrder, ListOrder, ensure_folder, make_session
from app.ui.start.importing.preview_table import ROLE_TEXTS

SAMPLE_TASK = "CV"

WITHOUT_COLUMNS = ("folder", "spectrum")


def data_folder() -> Path:
    """Where the program keeps these sessions, which file managers hide."""
    return user_data_path("spec-o3-workbench", appauthor=False)


def sample_session(
    reviewer: str, folder: Path | None = None, *, name: str = "sample", blind: bool = False
) -> Session:
    """Open the session of a sample, and create it at first use; verdicts are kept. Any thread."""
    path = ensure_folder(folder or data_folder()) / f"{name}.speco3"
    if not path.exists():
        listed = Path(str(resources.files("resources"))) / name / "candidates.csv"
        _make(path, find_task(SAMPLE_TASK), reviewer, listed, blind)
    return open_session(path, reviewer)


MAX_STEM = 60


def spectrum_session(
    path: Path, reviewer: str, folder: Path | None = None, *, blind: bool = False
) -> Session:
    """Open a session without a class of all spectra in one file, and create it at first use.

    Any thread. The same file opens the same session again, so comments are kept. The session is
    stored with the program's own data, because the file may be on a read-only disk.
    """
    chosen, spectrum = look_task(), normalized_path(path)
    digest = bytes_hash(f"{spectrum}\0{chosen.id}".encode(errors="replace"))[:12]
    home = folder or data_folder() / "spectra"
    path = ensure_folder(home) / f"{stem_of(spectrum.name)[:MAX_STEM]}-{chosen.id}-{digest}.speco3"
    if not path.exists():
        _make(path, chosen, reviewer, spectrum, blind)
    return open_session(path, reviewer)


def _make(path: Path, task: Task, reviewer: str, listed: Path, blind: bool) -> None:
    lists = (ListOrder(path=listed),)
    make_session(ImportOrder(path=path, task=task, reviewer=reviewer, lists=lists, blind=blind))


def lists_of(session: Session) -> dict[Path, Mapping[str, str]]:
    """The place of each list, with the column of every role; none for spectra without a list."""
    roles = list_roles(session)
    found: dict[Path, Mapping[str, str]] = {}
    for row in session.database.rows(select(lists.c.id, lists.c.path, lists.c.format)):
        own = roles[row.id]
        has_columns = row.format not in WITHOUT_COLUMNS
        found[Path(row.path)] = {role: own.get(role, "") for role in ROLE_TEXTS if has_columns}
    return found
