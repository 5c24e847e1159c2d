"""Sessions that the program creates itself: the sample, and one for a single spectrum."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from platformdirs import user_data_path

from agent.hashing import bytes_hash
from agent.tasks.catalogue import find_task, look_task
from app.core.importing.opening import normalized_path
from app.core.importing.spectrum_files import stem_of
from app.core.session.session import Session, open_session
from app.ui.importing.import_work import ImportOrder, ListOrder, ensure_folder, make_session

SAMPLE_TASK = "CV"


def data_folder() -> Path:
    """Where the program keeps these sessions, which file managers hide."""
    return user_data_path("spec-o3-workbench", appauthor=False)


def sample_session(reviewer: str, folder: Path | None = None, *, blind: bool = False) -> Session:
    """Open the sample session, and create it at first use; verdicts are kept. Any thread."""
    path = ensure_folder(folder or data_folder()) / "sample.speco3"
    if not path.exists():
        listed = Path(str(resources.files("resources"))) / "sample" / "candidates.csv"
        make_session(
            ImportOrder(
                path=path,
                task=find_task(SAMPLE_TASK),
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
    folder: Path | None = None,
    *,
    blind: bool = False,
) -> Session:
    """Open a session without a class of all spectra in one file, and create it at first use.

    Any thread. The same file opens the same session again, so comments are kept. The session is
    stored with the program's own data, because the file may be on a read-only disk.
    """
    chosen, spectrum = look_task(), normalized_path(path)
    key = f"{spectrum}\0{chosen.id}".encode(errors="replace")
    digest = bytes_hash(key)[:12]
    home = folder or data_folder() / "spectra"
    path = ensure_folder(home) / f"{stem_of(spectrum.name)[:MAX_STEM]}-{chosen.id}-{digest}.speco3"
    if not path.exists():
        make_session(
            ImportOrder(
                path=path,
                task=chosen,
                reviewer=reviewer,
                lists=(ListOrder(path=spectrum),),
                blind=blind,
            )
        )
    return open_session(path, reviewer)
