"""Fixtures: sets, drafts and pools, made once for all tests of a process, and inspections."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.examples.examples import Example
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.rendering.render import Style
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.app.core.conftest import cluster, team_location
from tests.app.ui.candidates import SAMPLE
from tests.train.draft.spectra import all_examples, write_set
from tests.train.review.quoted import quoted
from train.draft.drafting import DraftRun, draft_all
from train.draft.settings import DraftSettings
from train.review.pool import Pool, import_drafts

__all__ = ["cluster", "team_location"]

STAMP = Style(name="stamp", width=112, height=84)


@pytest.fixture(scope="session")
def example_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow")
    path = tmp_path_factory.getbasetemp() / "curation" / "cold.parquet"
    return path if path.is_file() else write_set(path)


@pytest.fixture(scope="session")
def drafts(example_set: Path) -> Path:
    """Long drafts of every spectrum that the measurements support."""
    return _drafted(example_set, "drafts.jsonl", DraftSettings())


@pytest.fixture(scope="session")
def many_drafts(example_set: Path) -> Path:
    """Twenty short drafts, two of each spectrum."""
    settings = DraftSettings(words="short", per_spectrum=2)
    path = _drafted(example_set, "many.jsonl", settings)
    return first(20, path, path.with_name("twenty.jsonl"))


@pytest.fixture(scope="session")
def quoted_drafts(example_set: Path) -> Path:
    """Inspections that repeat the numbers told by the tool, as models that read them wrote."""
    out = example_set.with_name("quoted.jsonl")
    if not out.is_file():
        made = (quoted(example) for example in all_examples())
        write_trajectories(out, [each for each in made if each is not None])
    return out


@pytest.fixture(scope="session")
def pairs(drafts: Path) -> list[tuple[Trajectory, Example]]:
    """Each draft with its example."""
    return _with_examples(drafts)


@pytest.fixture(scope="session")
def quoted_pairs(quoted_drafts: Path) -> list[tuple[Trajectory, Example]]:
    return _with_examples(quoted_drafts)


def first(count: int, drafts: Path, out: Path) -> Path:
    """The first of these drafts, in a file of their own."""
    out.write_text("".join(drafts.read_text().splitlines(keepends=True)[:count]))
    return out


def _drafted(example_set: Path, name: str, settings: DraftSettings) -> Path:
    out = example_set.with_name(name)
    if not out.is_file():
        draft_all(DraftRun(sets=(example_set,), out=out, teacher="measured", settings=settings))
    return out


def _with_examples(drafts: Path) -> list[tuple[Trajectory, Example]]:
    known = {(one.sha256, one.task): one for one in all_examples()}
    return [(one, known[one.spectrum.sha256, one.task]) for one in read_trajectories(drafts)]


@pytest.fixture(params=["folder", "database"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where no pool is yet."""
    if request.param == "folder":
        return tmp_path / "anywhere"
    return request.getfixturevalue("team_location")


@pytest.fixture
def placed_pool(place: Path | str, drafts: Path, example_set: Path) -> Iterator[Pool]:
    """Three drafts in a folder, or in a database."""
    few = first(3, drafts, example_set.with_name("few.jsonl"))
    made = import_drafts(place, [few], [example_set])[0]
    yield made
    made.store.close()


@pytest.fixture
def pool(tmp_path: Path, drafts: Path, example_set: Path) -> Pool:
    """Three drafts in a folder of their own."""
    few = first(3, drafts, tmp_path / "few.jsonl")
    return import_drafts(tmp_path / "pool", [few], [example_set])[0]


def inspected(folder: Path, style: Style) -> Iterator[Trajectory]:
    """Inspections of two spectra of the sample, which are copied into the folder."""
    for path in sorted((SAMPLE / "spectra").glob("*/spec-9*.fits.gz"))[:2]:
        (folder / path.name).write_bytes(path.read_bytes())
        spectrum = read_numbered(str(folder / path.name), 0)
        record = run(MeasuredInspector(style=style).inspect(spectrum, find_task("CV")))
        yield replace(record, model=ModelRef(name="secret-seven", sha256="7" * 64))


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of two inspections beside their spectra."""
    file = tmp_path_factory.mktemp("night") / "night.jsonl"
    write_trajectories(file, list(inspected(file.parent, STAMP)))
    return file
