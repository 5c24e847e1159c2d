import pytest

from tests.app.cli.commands import run, sample_rows, write_list


@pytest.fixture(scope="session")
def night(tmp_path_factory):
    """A session of three candidates beside their spectra. Read it; copy it to write."""
    folder = tmp_path_factory.mktemp("mcp")
    run("new", folder / "night.speco3", write_list(folder, sample_rows(folder, 3)), "--task", "CV")
    return folder / "night.speco3"


@pytest.fixture
def own_night(night, tmp_path):
    """A copy of the session that may be written to."""
    for path in night.parent.glob("*.gz"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    place = tmp_path / night.name
    place.write_bytes(night.read_bytes())
    return place
