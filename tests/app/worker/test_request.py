"""Requests: a file row or a spectrum, a task id or a task file."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.tasks.catalogue import find_task
from app.worker.errors import WireError
from app.worker.request import InspectRequest
from app.worker.supervisor import WorkerClient
from tests.agent.spectra.readers import samples
from tests.app.worker.conftest import LONG_S, spectrum


def test_a_row_of_a_file_and_a_task_file(shared: WorkerClient, tmp_path: Path) -> None:
    path = tmp_path / "coadd é.fits"
    path.write_bytes(samples.desi())
    task_file = tmp_path / "own.toml"
    words = Path(find_task("CV").path or _bundled_cv()).read_text(encoding="utf-8")
    task_file.write_text(words, encoding="utf-8")
    asked = InspectRequest(task=str(task_file), path=path, row=1)
    trajectory = shared.inspect(asked).result(LONG_S)
    assert (trajectory.spectrum.path, trajectory.spectrum.row) == (str(path), 1)
    assert trajectory.task == "CV"


def _bundled_cv() -> str:
    from agent.tasks.catalogue import BUNDLED

    return str(next(BUNDLED.glob("cv*.toml")))


def test_one_of_file_and_spectrum() -> None:
    with pytest.raises(WireError):
        InspectRequest(task="CV")
    with pytest.raises(WireError):
        InspectRequest(task="CV", path="x.fits", spectrum=spectrum())


def test_an_address_goes_to_a_worker_as_it_is() -> None:
    request = InspectRequest(task="CV", path="s3://bucket/night/1.fits?v=1")
    assert request.message(1)["path"] == "s3://bucket/night/1.fits?v=1"
    assert request.shown == "1.fits?v=1"
