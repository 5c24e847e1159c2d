"""The demo: the bundled sample from list to report."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest

from agent import read_spectrum
from agent.errors import ReadError, WorkbenchError
from agent.inspection.built_in import MEASURED
from agent.inspection.inspector_factory import default_model
from agent.trajectory.trajectory_file import read_trajectories
from app.cli import demo as demo_command
from app.cli import selftest as command
from app.cli.selftest import run_checks, selftest
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.selftest.installation import Check, CheckSkipped, require
from tests.app.cli.commands import invoke
from tests.app.core.exporting.catalogues import listed
from tests.night import BY_NIGHT

MODEL = default_model("CV") if BY_NIGHT else MEASURED
"""The panel takes a minute for the sample."""
REAL = Path(__file__).parents[3] / "resources" / "sample_real"


def demo(out, *more):
    words = ["demo", *more, "--out", str(out), *([] if BY_NIGHT else ["--model", MODEL])]
    return invoke(*words, catch_exceptions=False)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "[/red]"  # a name that looks like markup
    result = demo(out)
    assert result.exit_code == 0
    return out, result.stdout


def test_it_says_what_it_found_and_finds_most(shown):
    _, said = shown
    assert f"60 inspected with {MODEL}" in said
    assert "60 simulated candidates, most likely first" in said
    assert "Inspection of the most likely candidate" in said
    assert "(SIMULATED)" in said.split("Inspection of the most likely candidate")[1].splitlines()[0]
    assert re.search(r"YES   p\(YES\) (> 0\.999|0\.9\d\d) ", said)
    assert "p(YES) 1.000" not in said  # never as surer than it is
    assert "These spectra are simulated" in said
    words = said.split("Compared with the truth: ")[1].split()
    found, there, taken = int(words[0]), int(words[2]), int(words[4])
    assert there == 12
    assert found >= 10
    assert taken <= 3


def test_what_it_leaves(shown):
    out, said = shown
    with (out / "sample.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60 and {row["agent_verdict"] for row in rows} == {"YES", "NO"}
    assert {row["verdict"] for row in rows} == {""}
    inspectors = Counter(each.model.name for each in read_trajectories(out / "sample.jsonl"))
    assert inspectors[MODEL] == 60
    assert set(inspectors.values()) == {60}  # a panel's members are kept, too
    report = (out / "sample.html").read_text(encoding="utf-8")
    assert "None of the 60 candidates" in report
    assert "Simulated spectra in this session: all 60." in report
    about = json.loads((out / "sample.csv-metadata.json").read_text(encoding="utf-8"))
    assert about["notes"][1]["provenance"]["simulated"] == "all 60"
    assert all(str(out / name) in said for name in ("sample.csv", "sample.html", "sample.speco3"))


def test_the_real_sample_is_vetted_by_its_own_truth(tmp_path):
    result = demo(tmp_path, "--real")
    assert f"40 inspected with {MODEL}" in result.stdout
    assert "40 real candidates, most likely first" in result.stdout
    assert "SIMULATED" not in result.stdout and "too few to say how well" in flat(result.stdout)
    assert "16 of 16 found, 0 of 24 others wrongly called YES." in result.stdout
    assert (tmp_path / "sample_real.speco3").exists() and (tmp_path / "sample_real.csv").exists()


def flat(text):
    return " ".join(text.split())


def test_every_real_spectrum_is_small_public_and_reads_as_its_row_says():
    with (REAL / "truth.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    spectra = sorted(path.name for path in (REAL / "spectra").iterdir())
    assert sorted(Path(row["file"]).name for row in rows) == spectra and len(spectra) == 40
    assert sum(path.stat().st_size for path in REAL.rglob("*") if path.is_file()) < 3e6
    terms = (REAL / "README.md").read_text(encoding="utf-8").split("## Terms")[1]
    for row in rows:
        assert all(
            row[name] for name in ("label", "release", "object_id", "copied_from", "changes")
        )
        assert f"- `{row['terms']}`: " in terms
        spectrum = read_spectrum(REAL / row["file"], int(row["row"]))
        assert spectrum.survey == row["survey"] and not spectrum.simulated


def test_it_goes_on_with_what_is_there(shown):
    out, _ = shown
    with open_session(out / "sample.speco3", "Ada") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    result = demo(out)
    assert result.exit_code == 0 and f"0 inspected with {MODEL}" in result.stdout
    with open_session(out / "sample.speco3", "Ada") as session:
        assert session.judgement(2).opinion.verdict is Verdict.ACCEPT


def test_the_best_bundled_model_is_asked(tmp_path, monkeypatch):
    asked = []

    def run_vet(session, load, **options):
        asked.append(load.model)
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_command, "run_vet", run_vet)
    invoke("demo", "--out", tmp_path)
    assert asked == [default_model("CV")]


def test_places_where_it_cannot_be_written(tmp_path):
    with listed(tmp_path / "sample.speco3", [{}]):
        pass
    result = invoke("demo", "--out", tmp_path)
    assert result.exit_code == 1
    assert "contains other candidates than the sample" in str(result.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sample.speco3"]
    taken = tmp_path / "file"
    taken.write_text("not a folder")
    result = invoke("demo", "--out", taken)
    assert result.exit_code == 1 and "not a folder to write to" in str(result.exception)


# The self-test: that it sees what is there, and what is wrong.
PROGRAM = (sys.executable, "-P", "-c", "from app.cli.main import main; main()")


def test_all_of_it_comes_out_well(tmp_path):
    """As it is started by a user, whose folders stay as they were."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [*PROGRAM, "selftest"], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[2:-1]]
    seen = {(part, name) for state, part, name, *_ in rows if state == "ok"}
    assert {("parts", "modules"), ("parts", "resources"), ("window", "offscreen")} <= seen
    assert {("read", survey) for survey in ("LAMOST", "SDSS", "DESI", "VOTable", "text")} <= seen
    assert {("inspect", "picture"), ("inspect", "measured")} <= seen
    assert {("export", kind) for kind in ("csv", "ecsv", "fits", "vot", "jsonl", "html")} <= seen
    assert "checks passed" in done.stdout
    assert not list(tmp_path.glob("spec-o3*"))
    assert not (home / ".config" / "spec-o3-workbench").exists()


def passing(folder: Path) -> str:
    (folder / "file").write_text("written")
    return "seen"


def raising(error: Exception):
    return Mock(side_effect=error)


def test_rows_tell_whatever_happens_in_one_line(tmp_path, capsys):
    checks = [
        Check(part="a", name="first", run=raising(ReadError("no reader knows this file"))),
        Check(part="a", name="second", run=raising(KeyError("gone"))),
        Check(part="b", name="third", run=raising(CheckSkipped("not installed"))),
        Check(part="b", name="fourth", run=raising(OSError(28, "No space left on device"))),
        Check(part="b", name="fifth", run=passing),
    ]
    states = run_checks(checks, tmp_path)
    assert states == {"FAILED": 3, "–": 1, "ok": 1}
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == ["FAILED", "FAILED", "–", "FAILED", "ok"]
    assert rows[0].endswith("no reader knows this file") and rows[1].endswith("KeyError: 'gone'")
    assert "No space left" in rows[3]
    assert list(tmp_path.iterdir()) == []
    run_checks(
        [Check(part="a", name="one", run=raising(ReadError("two\nlines \x1b[31m")))], tmp_path
    )
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 1 and "\x1b" not in said


def test_a_failed_check_is_an_error_of_the_program(monkeypatch):
    class Part:
        @staticmethod
        def checks():
            yield Check(part="a", name="one", run=passing)
            yield Check(part="a", name="two", run=raising(WorkbenchError("it is not so")))

    monkeypatch.setattr(command, "CHECK_MODULES", (Part,))
    with pytest.raises(WorkbenchError, match="1 of 2 checks failed"):
        selftest()


def test_no_room_for_temporary_files_and_what_is_expected(monkeypatch):
    require(True, "never said")
    with pytest.raises(WorkbenchError, match="it is not"):
        require(0, "it is not")

    monkeypatch.setattr(
        tempfile, "TemporaryDirectory", Mock(side_effect=OSError(28, "No space left on device"))
    )
    with pytest.raises(WorkbenchError, match=r"temporary files cannot be created .* TMPDIR"):
        selftest()
