"""The session of the sample in the box: simulated candidates to try the program on."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from platformdirs import user_data_path

from agent.tasks import task
from app.core.session import Session, open_session
from app.ui.start.import_work import ImportOrder, ListOrder, folder_for, make_session

SAMPLE_TASK = "CV"


def sample_session(reviewer: str, folder: Path | None = None, *, blind: bool = False) -> Session:
    """Made where there is none yet: what was judged in it stays. Any thread."""
    home = folder_for(folder or user_data_path("spec-o3-workbench", appauthor=False))
    place = home / "sample.speco3"
    if not place.exists():
        listed = Path(str(resources.files("resources"))) / "sample" / "candidates.csv"
        make_session(
            ImportOrder(
                place=place,
                task=task(SAMPLE_TASK),
                reviewer=reviewer,
                lists=(ListOrder(path=listed),),
                blind=blind,
            )
        )
    return open_session(place, reviewer)
