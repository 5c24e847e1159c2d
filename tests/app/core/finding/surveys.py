"""A small survey in a folder, and finders that work in the process of the test."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path

from agent.cluster.ray_actors import Answer
from app.core.finding.inputs import Input
from app.core.finding.looking import Look, LookSettings
from app.core.finding.search import Search, SearchState
from app.core.finding.table import FindTable
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings

SETTINGS = LookSettings(("CV", "WD"), plant_each=3)


def make_survey(folder: Path) -> None:
    """Forty spectra of LAMOST and a coadd of DESI."""
    run_campaign(folder, Settings(seed=3, count=40, survey="LAMOST,DESI:0.1", snr=(20.0, 60.0)))
    for beside in (*folder.glob("*.csv"), *folder.rglob("redrock*")):
        beside.unlink()


class SameProcess:
    """Finders of which some die: `deadly` are file names that end whoever reads them."""

    count = 1

    def __init__(self, settings: LookSettings, deadly: Iterable[str] = ()) -> None:
        self._look, self._deadly = Look(settings), tuple(deadly)
        self.calls: list[list[Input]] = []

    def run(self, calls: Iterable[tuple[int, list[Input]]]) -> Generator[Answer[int], None, None]:
        for key, call in calls:
            self.calls.append(call)
            if any(one.path.endswith(self._deadly) for one in call if self._deadly):
                yield Answer(key, lost="the process that read it was killed by SIGKILL")
            else:
                yield Answer(key, self._look(call))


def searched(table: Path, *sources: Path, **options: object) -> tuple[FindTable, SearchState]:
    found = FindTable.made(table, [str(each) for each in sources], SETTINGS)
    return found, Search(found, **options).run(SameProcess(SETTINGS))  # type: ignore[arg-type]


def keys_of(table: FindTable) -> list[tuple[str, int]]:
    columns = table.columns(["path", "row"])
    return list(zip(columns["path"].tolist(), columns["row"].astype(int).tolist(), strict=True))
