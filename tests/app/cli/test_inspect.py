"""`spec-o3 inspect`: what a person reads, what a script gets, what is kept."""

import json
import math
import os
import signal
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from agent.errors import EngineError
from agent.inspection import inspector_factory as inspectors
from agent.inspection.inspector_factory import default_model
from agent.inspection.model_inspector import ModelInspector
from agent.trajectory.trajectory import ModelRef, Step
from agent.trajectory.trajectory_file import read_trajectories
from app.cli.inspection_text import _line_words, step_lines, verdict_lines
from tests.agent.scenes import answer, call
from tests.app.cli import commands
from tests.app.core.inspected import said
from tests.scripted_engine import ScriptedEngine

SPECTRA = Path(__file__).parents[3] / "resources" / "sample" / "spectra"
SAMPLE = SPECTRA / "000" / "spec-59128-SIM0000_sp01-002.fits.gz"
KEYS = {"task", "model", "verdict", "p_yes", "well_formed", "stopped_by", "steps", "seconds"}
USAGE = [(), ("--task", "CV", "--runs", "0"), ("--task", "CV", "--seed", "-1")]
REPLIES = [call(6400, 6700), call(1, 2, "nothing"), answer("YES", "Broad \x1b[31mHα.")]


@pytest.fixture
def scripted(monkeypatch):
    """Let the command talk to a script; returns what it asked for."""
    asked = {}

    def use(replies=REPLIES):
        def make_inspector(model=None, **options):
            asked.update(options, model=model)
            asked["engine"] = ScriptedEngine(replies, choices={"YES": math.log(0.8), "NO": -3.0})
            extra_runs = options["extra_runs"]
            return ModelInspector(asked["engine"], ModelRef(name="scripted"), extra_runs=extra_runs)

        monkeypatch.setattr(inspectors, "make_inspector", make_inspector)
        return asked

    return use


def invoke(*words):
    return commands.invoke("inspect", SAMPLE, *words)


def test_for_people(scripted):
    asked = scripted()
    result = invoke("--task", "cv")
    assert result.exit_code == 0, result.output
    assert "SIMULATED" in result.stdout and "6400 to 6700 Å" in result.stdout
    assert "does not overlap" in result.stdout and "Hα in " in result.stdout
    assert "Broad ?[31mHα." in result.stdout
    assert result.stdout.rstrip().splitlines()[-1].startswith("YES   p(YES) 0.9")
    assert asked["engine"].is_closed
    assert (asked["model"], asked["device"]) == (default_model("CV"), "auto")


def test_for_scripts(scripted):
    scripted()
    result = invoke("--task", "CV", "--json", "--model", "any")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert set(record) >= {*KEYS, "tokens"} and record["verdict"] == "YES"
    assert set(record["tokens"]) == {"prompt", "generated", "evaluated", "images"}
    kinds = [step["kind"] for step in record["steps"]]
    assert kinds == ["think", "zoom", "think", "zoom", "think", "answer"]
    for step in record["steps"]:
        assert {"kind", "text", "range", "label", "error", "measured"} <= set(step)


def test_runs_are_averaged_and_records_kept(scripted, tmp_path):
    asked = scripted()
    result = invoke("--task", "CV", "--runs", "3")
    assert result.exit_code == 0 and "over 3 inspections" in result.stdout
    assert asked["extra_runs"] == 2
    scripted()
    out = tmp_path / "looks.jsonl"
    for count in (1, 2):
        assert invoke("--task", "CV", "--save", str(out)).exit_code == 0
        records = list(read_trajectories(out))
        assert len(records) == count
    assert records[0].verdict == "YES" and records[0].spectrum.simulated


def test_an_engine_that_fails(scripted):
    scripted(Mock(side_effect=EngineError("the server is gone: start it again")))
    result = invoke("--task", "CV", "--json")
    assert json.loads(result.stdout)["stopped_by"] == "error"
    assert "the server is gone" in str(result.exception)


def test_ctrl_c_keeps_what_was_said(scripted):
    def reply(number):
        if number == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return [call(6400, 6700), answer()][number]

    scripted(reply)
    result = invoke("--task", "CV", "--json")
    record = json.loads(result.stdout)
    assert (record["stopped_by"], result.exit_code) == ("cancelled", 0)
    assert record["steps"][1]["kind"] == "zoom"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_deadline(scripted):
    scripted()
    result = invoke("--task", "CV", "--deadline", "0")
    assert "no verdict (cancelled: the deadline of 0 s has passed)" in result.stdout


@pytest.mark.parametrize("words", USAGE)
def test_usage(words):
    assert invoke(*words).exit_code == 2


def test_an_unknown_task():
    result = invoke("--task", "quasar?")
    assert result.exit_code == 1 and "no task" in str(result.exception)


# Steps of an inspection in the terminal.
def test_of_many_lines_the_surest_are_told_by_wavelength():
    sure = {"BaII_4554": 1, "HeII_4686": 4, "H_beta": 17, "HeI_4922": 2, "OIII_5007": 3, "own": 2.5}
    found = [
        {"name": name, "kind": "emission", "ew": -1.0, "ew_error": 0.1, "sigma": sigma}
        for name, sigma in sure.items()
    ]
    edges = [{"name": "C2_5165_edge", "drop": 0.2, "sigma": 9.0}]
    step = Step(
        kind="zoom", by="agent", turn=1, range=(4500.0, 5050.0), label="",
        measured={"lines": found, "edges": edges},
    )  # fmt: skip
    told = [line.plain.strip() for line in step_lines(step)][1:]
    assert told == [
        "He II 4686 in emission, EW -1.00 ± 0.10 Å, 4.0 σ",
        "Hβ in emission, EW -1.00 ± 0.10 Å, 17 σ",
        "[O III] 5007 in emission, EW -1.00 ± 0.10 Å, 3.0 σ",
        "own in emission, EW -1.00 ± 0.10 Å, 2.5 σ",
        "C₂ 5165: drop 20 %, 9.0 σ",
    ]


def test_a_thought_that_passes_over_its_table_is_told_before_the_verdict():
    row = {"name": "H_alpha", "kind": "emission", "ew": -198.0, "sigma": 655.0}
    look = Step(kind="zoom", by="agent", turn=1, range=(6400.0, 6700.0), measured={"lines": [row]})
    thought = Step(kind="think", by="agent", turn=2, text="Nothing clear. Enough seen.")
    record = replace(said("NO", 0.1), steps=(look, thought, *said("NO", 0.1).steps[-1:]))
    first, *_ = verdict_lines(record)
    assert "“Nothing clear” Measured otherwise: Hα in emission, EW -198.0 Å, 655 σ" in first.plain
    assert len(verdict_lines(replace(record, steps=record.steps[1:]))) == 1


def test_the_noise_and_what_is_unclear_are_said_as_the_sentences_say():
    row = {"name": "OIII_4959", "kind": "", "ew": -0.03, "ew_error": 0.24, "sigma": 2.9}
    assert _line_words(row) == "[O III] 4959 in the noise, EW -0.03 ± 0.24 Å"
    row = {"name": "H_9", "kind": "emission", "ew": -0.4, "ew_error": 0.3, "sigma": 4.5}
    assert _line_words(row) == "H9 unclear, EW -0.40 ± 0.30 Å, 4.5 σ"
    row = {"name": "OIII_4959", "kind": "", "ew": 0.608, "ew_error": 0.05, "sigma": 15.0}
    assert _line_words(row) == "[O III] 4959 unclear, EW 0.61 ± 0.05 Å, 15 σ"
