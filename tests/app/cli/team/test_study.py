"""`spec-o3 study`: from a plan to a report, and what it would find."""

import json
from importlib.util import find_spec

import pytest

from app.core.session.session import open_session
from app.core.sharing.study_plan import study_of
from tests.app.cli.commands import fails, run
from tests.app.core.sharing.test_study_plan import COUNT, judge, vetted


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "night.speco3"
    vetted(place).close()
    return place


def labels_of(folder):
    rows = [f"/spectra/{n}.fits,{'CV' if n % 4 == 0 else 'star'}" for n in range(1, COUNT + 1)]
    path = folder / "labels.csv"
    path.write_text("\n".join(["path,label", *rows]))
    return path


def test_from_the_plan_to_the_report(place, tmp_path):
    plan_file, page, table = (tmp_path / name for name in ("plan.json", "s.html", "s.csv"))
    told = run(
        "study", "new", place, "--people", "Ada, Ben", "--design", "crossover", "--seed", 7,
        "--known", labels_of(tmp_path), "--trust-paths", "--plan", plan_file,
    )  # fmt: skip
    assert f"{COUNT} candidates, 2 people, {4 * COUNT} readings: crossover" in told
    with open_session(place, "Ada") as session:
        assert study_of(session).sha256 in told
        assert study_of(session).text == plan_file.read_text()
    assert json.loads(plan_file.read_text())["design"] == "crossover"
    told = run("study", "report", place)
    assert f"0 of {4 * COUNT} readings are given." in told
    for name in ("Ada", "Ben"):
        judge(place, name)
    told = " ".join(run("study", "report", place, "--out", page, "--csv", table).split())
    assert f"{4 * COUNT} of {4 * COUNT} readings are given." in told
    assert f"of {COUNT} the answer is known" in told and "with the agent" in told
    assert page.read_text().startswith("<!doctype html>")
    assert table.read_text().startswith("section,of,figure,value,low,high\n")
    assert "研究" in run("study", "report", place, "--language", "zh")


def test_what_cannot_be_is_said_in_a_sentence(place, tmp_path):
    assert "has no study" in fails("study", "report", place)
    (tmp_path / "there.json").touch()
    words = ("study", "new", place, "--people", "Ada,Ben")
    assert "already exists" in fails(*words, "--plan", tmp_path / "there.json")
    assert "retired early" in fails(*words, "--retire-after", 2)
    run(*words)
    assert "has a study already" in fails(*words)
    if find_spec("mcp") is not None:
        assert "people judge this session for a study" in fails("mcp", place)


def test_a_simulated_study_tells_its_power():
    words = ("study", "simulate", "--candidates", 100, "--people", 3, "--studies", 40)
    told = run(*words, "--bias", 60, "--agent", 70)
    assert "tell a bias of 60 % from none in > 95" in told or "in 100 %" in told
    assert "100 % (91 % to 100 %)" not in run(*words, "--bias", 1)
