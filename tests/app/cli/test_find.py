"""`spec-o3 find` on the command line: search, go on, show, choose."""

import csv
import io

import pytest

from app.cli import find as find_module
from app.core.session.provenance import found_choice
from app.core.session.session import open_session
from tests.app.cli.commands import fails, invoke, run
from tests.app.core.finding.surveys import SameProcess, make_survey
from tests.made_once import made_once


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    return made_once(tmp_path_factory, "finding-survey", make_survey, in_place=True)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder for tables, with settings of its own; the work is done in this process."""
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "settings" / "settings.toml"))

    class Finders(SameProcess):
        def __init__(self, count, settings):
            super().__init__(settings)

        def close(self):
            pass

    monkeypatch.setattr(find_module, "FinderProcesses", Finders)
    return tmp_path


def test_from_a_folder_to_a_session(survey, place):
    bad = place / "bad.fits"
    bad.write_bytes(b"SIMPLE  =                    T" + b" " * 50)
    table = place / "survey.find"
    said = run("find", survey, bad, "--to", table, "--classes", "CV,WD", "--plant", 2)
    assert "40 new spectra looked at, " in said and "1 not read: spec-o3 find" in said
    assert "were in the table already" in run("find", survey, "--to", table)

    shown = run("find", table)
    assert "40 spectra" in shown and "  WD: " in shown and "  not read: 1 " in shown
    [row] = csv.DictReader(io.StringIO(run("find", table, "--unread")))
    assert row["path"].endswith("bad.fits") and row["reason"]

    known = place / "known.csv"
    known.write_text("name,ra,dec\nsomewhere,1.0,2.0\n")
    session = place / "cv.speco3"
    said = run(
        "find", table, "--task", "CV", "--keep", 5, "--known", known, "--without", "masked,part",
        "--session", session,
    )  # fmt: skip
    assert "the 5 likeliest of 40 spectra; " in said and "5 candidates" in said
    with open_session(session, "Ada") as opened:
        about = found_choice(opened)
    assert about is not None and about["without"] == ["masked", "part"]
    said = run("find", table, "--task", "odd", "--keep", 3)
    assert said.strip().endswith("the 3 oddest of 40 spectra")
    assert "odd" not in run("find", table, "--task", "CV", "--recall", 0.9)


def asked_back(*words):
    result = invoke("find", *words)
    assert result.exit_code == 2
    return " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["a folder"], "say where the table"),
        (["a folder", "--to", "x", "--task", "CV"], "first search, then choose"),
        (["a folder", "--to", "x", "--workers", "2", "--ray", "auto"], "give --actors"),
    ],
)
def test_what_is_not_clear_is_asked_back(words, reason):
    assert reason in asked_back(*words)


def test_a_choice_needs_a_class_and_one_number(survey, place):
    table = place / "survey.find"
    run("find", next(survey.rglob("spec*.fits.gz")), "--to", table, "--classes", "CV", "--plant", 0)
    assert "say what to choose" in asked_back(str(table), "--keep", "5")
    assert "give one of" in fails("find", table, "--task", "CV")
    assert "nothing was planted" in fails("find", table, "--task", "CV", "--recall", 0.9)
    assert "looks for other classes" in fails("find", survey, "--to", table, "--classes", "MG")
