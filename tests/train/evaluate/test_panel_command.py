"""`spec-o3-train evaluate panel`: a file that the program reads, and figures to look at."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agent.confidence.judged import sigmoid
from agent.errors import WorkbenchError
from agent.inspection.panel_inspector import read_fusion
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from tests.train.evaluate.helpers import make_judgement
from train.cli import app
from train.evaluate.judgement import add_judgements
from train.evaluate.judges import trajectories_path
from train.evaluate.panel_command import (
    MEASURED,
    Pairs,
    against_members,
    fit_fusion,
    fused_unseen,
    judges_of,
    panel_figures,
    read_pairs,
)

TRUE = (-0.5, 0.6, 1.2)


def test_it_writes_what_the_panel_reads(tmp_path: Path):
    pairs, folder, out = made_pairs(600), tmp_path / "bench", tmp_path / "panel.toml"
    put(folder, "see", pairs.eye)
    put(folder, MEASURED, pairs.measured)
    words = ["evaluate", "panel", str(folder), "--eye", "see", "--out", str(out)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    weights, fitted = read_fusion(out), fit_fusion(pairs.terms, pairs.answers)
    assert abs(weights.eye - fitted.eye) < 1e-4 and abs(weights.measured - TRUE[2]) < 0.4
    assert "600 simulated candidates" in out.read_text()
    for word in ("eye", "measured", "panel", "macro-F1", "ECE", "95 % precision"):
        assert word in result.output
    said = " ".join(result.output.split())
    assert "panel against eye, paired: macro-F1 +" in said and "panel against measured" in said
    assert weights.part is None and 0 < weights.measured_right < weights.disagreed < 600
    assert f"is right in {weights.measured_right} of {weights.disagreed}" in said
    before = out.read_bytes()
    CliRunner().invoke(app, words)
    assert out.read_bytes() == before
    part, of_part = tmp_path / "part", made_pairs(300, seed=2, weights=(1.0, 0.2, 1.2))
    put(part, "see", of_part.eye)
    put(part, MEASURED, of_part.measured)
    result = CliRunner().invoke(app, [*words, "--part", str(part)])
    both = read_fusion(out)
    assert result.exit_code == 0 and "300 simulated candidates" in result.output
    assert (both.intercept, both.eye) == (weights.intercept, weights.eye)
    assert both.part is not None and both.part.intercept > 0.6 > both.part.eye


def made_pairs(count: int = 4000, seed: int = 1, weights=TRUE) -> Pairs:
    """Both p(YES) are drawn, then the answer by the logistic of the two."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0.0, 2.0, (count, 2))
    right = rng.random(count) < sigmoid(weights[0] + odds @ np.array(weights[1:]))
    p = sigmoid(odds)

    answers = [verdict_of(is_yes) for is_yes in right]

    def rows(chances):
        return tuple(
            make_judgement(number, answers[number], verdict_of(p_yes >= 0.5), p_yes=p_yes)
            for number, p_yes in enumerate(chances)
        )

    return Pairs(*(rows(column.tolist()) for column in p.T))


def verdict_of(is_yes: bool) -> str:
    return "YES" if is_yes else "NO"


def test_the_fit_finds_the_weights_that_made_the_answers():
    pairs = made_pairs()
    weights = fit_fusion(pairs.terms, pairs.answers)
    found = (weights.intercept, weights.eye, weights.measured)
    assert found == pytest.approx(TRUE, abs=0.12)


def test_one_who_is_right_is_believed_and_one_who_guesses_is_not():
    pairs = made_pairs(weights=(0.0, 0.0, 1.0))
    weights = fit_fusion(pairs.terms, pairs.answers)
    assert weights.eye < 0.1 and weights.measured == pytest.approx(1.0, abs=0.1)
    backwards = fit_fusion(pairs.terms * (-1, 1), pairs.answers)
    assert 0.0 <= backwards.eye < 0.1


def test_two_who_are_always_right_get_finite_weights():
    pairs = made_pairs(400)
    sure = np.where(pairs.answers, 3.0, -3.0)
    weights = fit_fusion(np.column_stack([sure, sure]), pairs.answers)
    assert weights.eye == pytest.approx(weights.measured, abs=1e-3) and weights.eye < 5.0


def test_figures_are_of_unseen_candidates_and_the_panel_is_the_best():
    pairs = made_pairs()
    judges = judges_of(pairs, seed=0)
    eye, measured, panel = (panel_figures(*each, seed=0) for each in judges.items())
    assert [one.name for one in (eye, measured, panel)] == ["eye", MEASURED, "panel"]
    assert panel.mean_f1 > measured.mean_f1 > eye.mean_f1
    assert panel.calibration_error < 0.03 < measured.calibration_error
    assert panel.kept > max(eye.kept, measured.kept)
    assert judges_of(pairs, seed=0) == judges


def test_the_panel_is_paired_with_each_of_its_members():
    pairs = made_pairs()
    eye, measured = against_members(judges_of(pairs, seed=0), seed=0)
    assert (eye.second, measured.second) == ("eye", MEASURED) and eye.first == "panel"
    better = measured.f1_difference
    assert better.low is not None and 0 < better.low < (better.value or 0) < (better.high or 0)
    assert measured.only_first > measured.only_second and measured.p_value < 0.01
    # A panel of one and a guesser is that one: the interval holds zero.
    guesser = made_pairs(weights=(0.0, 0.0, 1.0))
    alone = against_members(judges_of(guesser, seed=0), seed=0)[1].f1_difference
    assert (alone.low or 0) <= 0 <= (alone.high or 0)


def test_folds_are_seeded_and_keep_the_classes_of_a_spectrum_together():
    pairs = made_pairs(200)
    assert np.array_equal(fused_unseen(pairs, 3), fused_unseen(pairs, 3))
    assert not np.array_equal(fused_unseen(pairs, 3), fused_unseen(pairs, 4))
    other = tuple(replace(one, task="WD", key=one.key.replace("CV-", "WD-")) for one in pairs.eye)
    both = Pairs(pairs.eye + other, pairs.measured + other)
    assert both.groups[:200] == both.groups[200:]


def put(folder: Path, name: str, rows, *, simulated: bool = True) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    add_judgements(folder / f"{name}.jsonl", rows)
    spectrum, model = SpectrumRef(simulated=simulated), ModelRef(name=name)
    record = Trajectory(task="CV", spectrum=spectrum, model=model, stopped_by="answer")
    write_trajectories(trajectories_path(folder / f"{name}.jsonl"), [record])


def test_files_are_paired_by_key(tmp_path: Path):
    pairs = made_pairs(120)
    unknown = replace(pairs.eye[0], p_yes=None)
    put(tmp_path / "a", "see", [unknown, *pairs.eye[1:60]])
    put(tmp_path / "a", MEASURED, reversed(pairs.measured[:59]))
    put(tmp_path / "b", "see", pairs.eye[60:])
    put(tmp_path / "b", MEASURED, pairs.measured[60:])
    found = read_pairs([tmp_path / "a", tmp_path / "b"], "see")
    assert found.eye == pairs.eye[1:59] + pairs.eye[60:]
    assert found.measured == pairs.measured[1:59] + pairs.measured[60:]


def test_real_spectra_are_refused(tmp_path: Path):
    pairs = made_pairs(120)
    put(tmp_path, "see", pairs.eye)
    put(tmp_path, MEASURED, pairs.measured, simulated=False)
    with pytest.raises(WorkbenchError, match="on simulations alone"):
        read_pairs([tmp_path], "see")


def test_too_few_and_different_sets_are_refused(tmp_path: Path):
    pairs = made_pairs(120)
    put(tmp_path / "few", "see", pairs.eye[:20])
    put(tmp_path / "few", MEASURED, pairs.measured[:20])
    with pytest.raises(WorkbenchError, match="only 20 candidates"):
        read_pairs([tmp_path / "few"], "see")
    turned = [replace(one, answer="NO" if one.answer == "YES" else "YES") for one in pairs.eye]
    put(tmp_path / "other", "see", turned)
    put(tmp_path / "other", MEASURED, pairs.measured)
    with pytest.raises(WorkbenchError, match="different sets"):
        read_pairs([tmp_path / "other"], "see")
