"""A survey in a script or a notebook: look at all of its spectra, and choose candidates from it.

`from app import find` does what `spec-o3 find` does, with processes of this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agent.tasks.catalogue import bundled_tasks, find_task
from app.core.finding.choice import ChoiceRule, FoundChoice, choose
from app.core.finding.found_session import allow_sources, found_session
from app.core.finding.inputs import as_source
from app.core.finding.looking import LookSettings
from app.core.finding.processes import FinderProcesses, spare_processors
from app.core.finding.search import OnState, Search, SearchState
from app.core.finding.table import FindTable

if TYPE_CHECKING:
    from astropy.table import Table

__all__ = ["Survey", "find"]


class Survey:
    """The table of a search, in a folder of Parquet files."""

    def __init__(self, folder: Path | str) -> None:
        self._table = FindTable(Path(folder))

    def __len__(self) -> int:
        return len(self._table.columns(["row"])["row"])

    def table(self, columns: Sequence[str] = ()) -> Table:
        """These columns of all spectra, or every column, as an astropy table."""
        from astropy.table import Table

        names = columns or self._table.column_names
        return Table(self._table.columns(list(names)))

    def unread(self) -> Table:
        """What could not be read, and why."""
        from astropy.table import Table

        rows = list(self._table.unread())
        return Table(rows=rows or None, names=("path", "row", "reason"), dtype=(str, int, str))

    def choose(
        self,
        task: str,
        *,
        keep: int | None = None,
        recall: float | None = None,
        purity: float | None = None,
        known: Sequence[tuple[float, float]] = (),
        least_snr: float | None = None,
        without: Sequence[str] = (),
    ) -> FoundChoice:
        """Choose candidates of a class, or the `odd` ones: by number, or by a share of 0 to 1.

        Its `recall`, `purity` and `known` say what the choice costs, its `sentence` all of it.
        """
        rule = ChoiceRule(
            task=task, keep=keep, recall=recall, purity=purity, least_snr=least_snr,
            without=tuple(without),
        )  # fmt: skip
        return choose(self._table, rule, known)

    def rows(self, choice: FoundChoice, columns: Sequence[str] = ()) -> Table:
        """The chosen rows, best first."""
        from astropy.table import Table

        names = list(columns or self._table.column_names)
        return Table(self._table.rows(np.asarray(choice.numbers), names))

    def make_session(self, choice: FoundChoice, location: Path | str, reviewer: str) -> Path:
        """Make a session file of what is chosen; `from app import open_session` opens it."""
        session, _ = found_session(self._table, choice, Path(location), reviewer)
        session.close()
        return Path(location)


def find(
    sources: Path | str | Sequence[Path | str],
    to: Path | str,
    *,
    classes: Sequence[str] = (),
    plant: int = 50,
    workers: int | None = None,
    trust_paths: bool = False,
    on_state: OnState = lambda state: None,
) -> tuple[Survey, SearchState]:
    """Look at every spectrum of the sources once, and return the table and how the search ended.

    The same call again goes on with what is new. `classes` are ids of bundled classes, or task
    files; without them all bundled ones.
    """
    every = [sources] if isinstance(sources, str | Path) else list(sources)
    settings = LookSettings.of([*map(find_task, classes)] or bundled_tasks(), plant)
    table = FindTable.made(Path(to), [as_source(str(each)) for each in every], settings)
    allow_sources(table)
    with closing(FinderProcesses(workers or spare_processors(), table.settings)) as finders:
        state = Search(table, trust_paths=trust_paths, on_state=on_state).run(finders)
    return Survey(to), state
