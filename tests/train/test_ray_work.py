"""Jobs of training commands in actors of a Ray on this machine."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("ray")
pytest.importorskip("pyarrow")

from agent.cluster.options import RayPlace
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError
from tests.night import ray_by_night
from tests.train.bench.helpers import ALL
from tests.train.draft.spectra import write_set
from tests.train.evaluate.helpers import MEASURED
from train.bench.archive import open_archive
from train.bench.measuring import measure
from train.draft.drafting import DraftRun, draft_all
from train.draft.settings import DraftSettings
from train.evaluate.judges import judge_set
from train.parallel import in_order
from train.ray_work import ray_in_order, ray_results

PLACE = RayPlace(actors=2)
SAMPLE = Path(__file__).parents[2] / "resources" / "sample"


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Connected for all of them, as a Ray takes seconds to start."""
    found = RayCluster(PLACE)
    yield
    found.close()


@pytest.fixture(scope="module")
def example_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("ray") / "cold.parquet")


def refuse(number: int) -> int:
    if number == 7:
        raise WorkbenchError("seven is too many")
    return number


@contextmanager
def counting() -> Iterator[Callable[[int], tuple[int, int]]]:
    opened = [os.getpid()]
    yield lambda number: (number, len(opened))


@contextmanager
def unable() -> Iterator[Callable[[int], int]]:
    raise WorkbenchError("the model is not here")
    yield abs


def test_results_come_in_the_order_of_the_jobs() -> None:
    assert list(in_order(abs, range(-40, 0), PLACE)) == list(range(40, 0, -1))
    assert sorted(ray_results(counting, range(9), PLACE)) == [(n, (n, 1)) for n in range(9)]


def test_what_goes_wrong_is_told() -> None:
    with pytest.raises(WorkbenchError, match="seven is too many"):
        list(in_order(refuse, range(9), PLACE))
    with pytest.raises(WorkbenchError, match="two actors died"):
        list(in_order(os._exit, [3], RayPlace(actors=1)))


def test_where_nothing_can_be_opened_the_reason_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(WorkbenchError, match="the model is not here"):
        list(ray_in_order(unable, range(9), PLACE))
    caplog.clear()


@ray_by_night
def test_drafts_are_the_same_byte_by_byte(example_set: Path, tmp_path: Path) -> None:
    run = DraftRun(
        sets=(example_set,), out=tmp_path / "one.jsonl", teacher="measured", seed=4, limit=10,
        settings=DraftSettings(words="short", style="compact"),
    )  # fmt: skip
    draft_all(run)
    draft_all(replace(run, out=tmp_path / "two.jsonl"), workers=PLACE)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_judgements_are_the_same(example_set: Path, tmp_path: Path) -> None:
    one = judge_set(MEASURED, example_set, tmp_path / "one.jsonl", limit=6)
    two = judge_set(MEASURED, example_set, tmp_path / "two.jsonl", limit=6, workers=PLACE)
    assert [replace(each, seconds=0) for each in one] == [replace(each, seconds=0) for each in two]


@ray_by_night
def test_measurements_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a folder that is named from where the command runs."""
    monkeypatch.chdir(SAMPLE)
    jobs = open_archive([Path("spectra") / "000"]).jobs[:4]
    alone = measure(jobs, ALL, tmp_path / "one")
    shared = measure(jobs, ALL, tmp_path / "two", PLACE)
    assert repr(shared.to_pylist()) == repr(alone.to_pylist())  # NaN equals NaN here
