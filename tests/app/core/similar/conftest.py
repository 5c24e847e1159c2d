"""A session of twenty four candidates of the sample, whose spectra are simulated stars."""

import pytest

from app.core.session.session import open_session
from tests.app.ui.candidates import sample_file

COUNT = 24


@pytest.fixture
def place(tmp_path):
    return sample_file(tmp_path, COUNT)


@pytest.fixture
def session(place):
    with open_session(place, "Ada") as opened:
        yield opened
