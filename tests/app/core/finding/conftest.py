import pytest

from tests.app.core.finding.surveys import make_survey, searched
from tests.made_once import made_once


@pytest.fixture(scope="session")
def survey(tmp_path_factory):
    """Nobody may change it."""
    return made_once(tmp_path_factory, "finding-survey", make_survey, in_place=True)


@pytest.fixture(scope="session")
def found(tmp_path_factory, survey):
    """A table of this survey; nobody may change it."""
    table, _ = searched(tmp_path_factory.mktemp("finding") / "survey.find", survey)
    return table
