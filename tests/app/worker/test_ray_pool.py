"""A batch over actors of a Ray on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.cluster.options import RayPlace
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError
from app.worker.errors import InspectionError, WorkerCrash
from app.worker.pool import PoolResult
from app.worker.ray_pool import RayPool
from app.worker.request import InspectRequest, LoadRequest
from tests.app.worker.conftest import COMMAND, POSIX, request, spectrum
from tests.night import ray_by_night

pytest.importorskip("ray")
PLACE = RayPlace(actors=2)
GOOD = LoadRequest("good")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Connected for all of them, as a Ray takes seconds to start."""
    found = RayCluster(PLACE)
    yield
    found.close()


SERVER = LoadRequest("http://127.0.0.1:9/v1")
"""The scripted child does not connect."""


def results(
    names: list[str], load: LoadRequest = GOOD, in_flight: int | None = None
) -> dict[int, PoolResult[int]]:
    with RayPool(PLACE, load, command=COMMAND, in_flight=in_flight) as pool:
        told = list(pool.run((number, request(name)) for number, name in enumerate(names)))
    assert sorted(each.key for each in told) == list(range(len(names)))
    return {each.key: each for each in told}


@POSIX
def test_one_that_kills_and_one_that_fails_do_not_stop_the_others(tmp_path: Path) -> None:
    names = ["any"] * 60
    names[3], names[20] = "kill", "fault"
    names[40] = f"kill-unless-there:{tmp_path / 'there'}"
    told = results(names)
    assert {key for key, each in told.items() if each.trajectory is None} == {3, 20}
    assert isinstance(told[3].error, WorkerCrash) and "ggml: out of" in str(told[3].error)
    assert isinstance(told[20].error, InspectionError) and "KeyError" in told[20].error.detail


@ray_by_night
@POSIX
def test_one_whose_actor_dies_twice_is_blamed() -> None:
    told = results(["any", "kill-actor", *["any"] * 10])
    assert [key for key, each in told.items() if each.trajectory is None] == [1]
    assert isinstance(told[1].error, WorkerCrash) and "died 2 times" in str(told[1].error)


def test_the_model_is_known_before_the_batch_begins() -> None:
    with RayPool(PLACE, LoadRequest("sharing"), command=COMMAND) as pool:
        assert pool.ready().name == "2 share" and pool.slots == 2


@POSIX
def test_a_worker_that_dies_once_as_it_loads_is_tried_again(tmp_path: Path) -> None:
    load = LoadRequest(f"die-unless-there:{tmp_path / 'there'}")
    with RayPool(RayPlace(actors=1), load, command=COMMAND) as pool:
        assert pool.ready().name == load.model
    with (
        RayPool(RayPlace(actors=1), LoadRequest("die"), command=COMMAND) as pool,
        pytest.raises(WorkbenchError, match="killed by SIGKILL"),
    ):
        pool.ready()


def test_a_model_that_none_can_load(caplog: pytest.LogCaptureFixture) -> None:
    with (
        RayPool(PLACE, LoadRequest("refuse"), command=COMMAND) as pool,
        pytest.raises(WorkbenchError, match="no model of that name"),
    ):
        pool.ready()
    caplog.clear()


def test_files_and_task_files_mean_the_same_in_an_actor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs in another folder, and on another machine there is no task file."""
    root = Path(__file__).parents[3] / "resources"
    monkeypatch.chdir(tmp_path)
    source = next((root / "sample" / "spectra").rglob("*.fits.gz"))
    Path("one.fits.gz").write_bytes(source.read_bytes())
    task = root / "tasks" / "cv.toml"
    Path("own.toml").write_text(task.read_text().replace('id = "CV"', 'id = "MINE"'))

    def requests() -> Iterator[tuple[int, InspectRequest]]:
        yield 0, InspectRequest(task="own.toml", path="one.fits.gz")
        yield 1, InspectRequest(task="own.toml", spectrum=spectrum("plain"))
        Path("own.toml").unlink()

    with RayPool(PLACE, GOOD, command=COMMAND) as pool:
        told = list(pool.run(requests()))
    assert [each.error for each in told] == [None, None]
    assert {each.trajectory.task for each in told if each.trajectory} == {"MINE"}


def test_so_many_run_at_once_in_each_actor() -> None:
    """Six wait in one worker process for each other: three for each of two servers."""
    two = LoadRequest(f"{SERVER.model},{SERVER.model}")
    taken: list[int] = []

    def requests() -> Iterator[tuple[int, InspectRequest]]:
        for number in range(24):
            taken.append(number)
            yield number, request("together:6")

    with RayPool(RayPlace(actors=1), two, command=COMMAND, in_flight=3) as pool:
        assert pool.slots == 6
        done = 0
        for each in pool.run(requests()):
            done += 1
            assert each.trajectory is not None, each.error
            assert len(taken) <= done + 6
    assert done == 24


def test_without_a_number_one_is_found_for_all_actors() -> None:
    with RayPool(PLACE, SERVER, command=COMMAND) as pool:
        assert pool.slots is None
        told = list(pool.run((number, request()) for number in range(60)))
        assert sorted(each.key for each in told) == list(range(60))
        assert all(each.trajectory for each in told)
        assert pool.slots or pool._concurrency.per_worker > 2, "it was judged"


@ray_by_night
@POSIX
def test_one_that_kills_does_not_take_those_beside_it_along(tmp_path: Path) -> None:
    """Neither the worker process nor the actor dies for the others."""
    names = ["any"] * 40
    names[5], names[20], names[30] = "kill", "fault", "kill-actor"
    names[10] = f"kill-unless-there:{tmp_path / 'there'}"
    told = results(names, SERVER, in_flight=4)
    assert {key for key, each in told.items() if each.trajectory is None} == {5, 20, 30}
    assert type(told[5].error) is WorkerCrash and isinstance(told[20].error, InspectionError)
    assert "died 2 times" in str(told[30].error)
