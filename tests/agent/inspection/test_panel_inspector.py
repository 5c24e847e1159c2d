"""Two inspectors, one record: the eye's looks, both verdicts with their reasons, one p(YES)."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import EngineError, ResourceError
from agent.hashing import picture_hash
from agent.inspection.control import Control, Interjection
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.inspection.offered_looks import shows_part
from agent.inspection.panel_inspector import (
    DISAGREE,
    FusionWeights,
    PanelInspector,
    builtin_fusion,
    panel_ref,
    read_fusion,
)
from agent.inspection.pictures import redraw
from agent.spectra.spectrum import between
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_line, to_line
from agent.trajectory.turns import turns_of
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.inspection.scripted_inspection import CV, inspector
from tests.agent.scenes import answer, call, star

LOOKS = [call(6400, 6700), call(4800, 4930, "Hβ")]
CALLED_NO = [*LOOKS, answer("NO", "More like a quasar: Hα is broad.")]


def panel(replies, fusion=None):
    return PanelInspector(inspector(replies), fusion=fusion)


def judged(replies, label="CV", fusion=None, **options):
    steps = []
    made = panel(replies, fusion)
    return run(made.inspect(simulated_spectrum(label), CV, **options), steps.append), steps, made


def test_both_are_heard_and_fused():
    record, steps, made = judged([*LOOKS, answer()])
    seen, measured = record.members
    assert seen.p_yes == pytest.approx(0.9) and seen.model.name == "scripted"
    alone = run(MeasuredInspector(draw=False).inspect(simulated_spectrum("CV"), CV))
    assert (measured.p_yes, measured.replies) == (alone.p_yes, alone.replies)
    assert record.p_yes == builtin_fusion().fuse(seen.p_yes, measured.p_yes)
    assert (record.verdict, record.stopped_by, record.well_formed) == ("YES", "answer", True)
    assert record.model == made.model == panel_ref(seen.model)
    assert record.steps == tuple(steps)
    assert record.steps[:-1] == seen.steps[:-1]


def test_a_record_holds_both_and_says_each_line_once():
    record, _, _ = judged([*LOOKS, answer()])
    eye, measured, together = record.reasons.removeprefix("\\boxed{YES} ").split("\n")
    assert eye == "scripted: YES, p 0.90: Broad Hα at 6565 Å."
    assert measured.startswith("measured: YES, p > 0.99: ")
    assert record.members[1].reasons.removeprefix("\\boxed{YES} ") in measured
    assert re.fullmatch(r"Together p\(YES\) (> )?0\.\d\d\.", together)
    (row,) = [row for look in record.looks for row in look.measured["lines"]][:1]
    assert row["name"] == "H_alpha"
    said = re.search(r"Hα emission, EW (-[\d.]+)", record.reasons)
    assert said is not None and float(said.group(1)) == pytest.approx(row["ew"])
    back = from_line(to_line(record))
    assert back == record and back.members == record.members
    assert record.until(1).members == ()
    record, _, made = judged([*LOOKS, answer()])
    spectrum = simulated_spectrum("CV")
    heard = made.eye.engine.conversations[0]
    assert turns_of(CV, record) == heard.turns
    again = redraw(record, spectrum)
    assert [*map(picture_hash, again)] == [*map(picture_hash, heard.pictures)]


def test_disagreement_is_said():
    weights = FusionWeights(intercept=0.0, eye=0.1, measured=1.0)
    made = PanelInspector(inspector(CALLED_NO), fusion=weights)
    made.eye.engine.choices = {"YES": -3.0, "NO": -0.05}
    record = run(made.inspect(simulated_spectrum("CV"), CV))
    assert [member.verdict for member in record.members] == ["NO", "YES"]
    assert record.verdict == "YES" and record.reasons.endswith(DISAGREE)
    agreed, _, _ = judged([*LOOKS, answer()])
    assert DISAGREE not in agreed.reasons


def test_without_a_verdict_of_the_eye_the_measured_one_stands():
    record, steps, _ = judged(lambda number: call(6400 + number, 6700))
    seen, measured = record.members
    assert seen.stopped_by == "turn_limit" and seen.verdict is None
    assert (record.verdict, record.p_yes) == (measured.verdict, measured.p_yes)
    assert record.stopped_by == "answer" and not record.well_formed
    assert record.reasons.startswith("\\boxed{YES} scripted: no verdict.\nmeasured: YES")
    assert record.steps == tuple(steps)
    assert len(record.looks) == len(seen.looks)


def test_without_a_p_of_the_eye_the_measured_one_stands():
    made = panel(CALLED_NO)
    made.eye.engine.choices = None
    record = run(made.inspect(simulated_spectrum("CV"), CV))
    assert record.p_yes == record.members[1].p_yes and record.verdict == "YES"
    assert record.reasons.startswith("\\boxed{YES} scripted: NO: More like a quasar")


def test_an_engine_that_fails_is_an_error_and_no_verdict():
    def reply(number: int) -> str:
        if number == 1:
            raise EngineError("no memory")
        return call(6400, 6700)

    record, steps, _ = judged(reply)
    assert (record.stopped_by, record.stop_reason) == ("error", "no memory")
    assert record.verdict is None and record.p_yes is None and record.members == ()
    assert record.steps == tuple(steps) and record.model.name == "panel"


def test_it_stops_when_told_to():
    control = Control()
    inspection = panel([*LOOKS, answer()]).inspect(simulated_spectrum("CV"), CV, control=control)
    next(inspection)
    control.cancel()
    with pytest.raises(StopIteration) as end:
        while True:
            next(inspection)
    record = end.value.value
    assert record.stopped_by == "cancelled" and record.verdict is None and record.members == ()


def test_a_person_goes_on_with_the_eye():
    first, _, _ = judged([*LOOKS, answer()])
    control = Control()
    control.insert(Interjection(text="look at He II", range=(4600.0, 4750.0)))
    replies = [call(4600, 4750, "He II"), answer("NO", "No He II.")]
    again, steps, made = judged(replies, so_far=first.until(2), control=control)
    assert [step.by for step in steps] == ["person", "agent", "agent", "agent", "agent"]
    assert again.replies[:2] == first.replies[:2] and len(again.replies) == 4
    assert turns_of(CV, again) == made.eye.engine.conversations[0].turns
    assert again.members[0].verdict == "NO" and len(again.looks) == 4


def test_a_person_asks_after_the_answer():
    """The eye answers twice; both its answers are steps, the panel's comes last."""
    control = Control()
    judges = panel([*LOOKS, answer(), answer("NO", "No.")])
    inspection = judges.inspect(simulated_spectrum("CV"), CV, control=control)
    steps = [next(inspection) for _ in range(4)]
    control.insert(Interjection(text="are you sure?"))
    with pytest.raises(StopIteration) as end:
        while True:
            steps.append(next(inspection))
    record = end.value.value
    assert record.steps == tuple(steps)
    ours = [step.label for step in steps if step.kind == "answer"]
    assert ours[-1] == "panel" and record.verdict == steps[-1].verdict


def test_its_name_changes_with_members_and_weights():
    one = ModelRef(name="nano-eye", engine="gguf", sha256="1" * 64)
    other = ModelRef(name="nano-eye", engine="gguf", sha256="2" * 64)
    heavy = FusionWeights(intercept=0.0, eye=2.0, measured=0.5)
    refs = {panel_ref(one), panel_ref(other), panel_ref(one, fusion=heavy)}
    assert len(refs) == 3 and {ref.engine for ref in refs} == {"panel"}


def test_closing_it_closes_the_eye():
    made = panel([answer()])
    made.close()
    assert made.eye.engine.is_closed


# How the panel's two p(YES) become one.


ALIKE = FusionWeights(intercept=0.0, eye=0.5, measured=0.5)


def test_it_is_a_logistic_of_both_log_odds_or_the_p_of_the_only_one():
    weights = FusionWeights(intercept=-0.3, eye=0.4, measured=0.9)
    log_odds = -0.3 + 0.4 * math.log(0.7 / 0.3) + 0.9 * math.log(0.2 / 0.8)
    assert weights.fuse(0.7, 0.2) == pytest.approx(1 / (1 + math.exp(-log_odds)))
    assert ALIKE.fuse(0.8, 0.8) == pytest.approx(0.8)
    assert ALIKE.fuse(0.9, 0.1) == pytest.approx(0.5)
    assert ALIKE.fuse(None, 0.97) == 0.97
    assert ALIKE.fuse(0.03, None) == 0.03
    assert ALIKE.fuse(None, None) is None
    assert ALIKE.fuse(1.0, 0.0) == pytest.approx(0.5)
    assert ALIKE.fuse(1e-12, 0.9976) == pytest.approx(0.5, abs=0.01)


def test_the_bundled_weights_count_both_and_the_fingerprint_tells_weights_apart():
    weights = builtin_fusion()
    assert weights.eye > 0 and weights.measured > 0
    assert ALIKE.sha256 == FusionWeights(intercept=0.0, eye=0.5, measured=0.5).sha256
    assert ALIKE.sha256 != FusionWeights(intercept=0.1, eye=0.5, measured=0.5).sha256
    assert ALIKE.sha256 != replace(ALIKE, part=ALIKE).sha256


def test_part_of_a_spectrum_has_weights_of_its_own(tmp_path: Path):
    path = tmp_path / "panel.toml"
    lines = [
        "intercept = 0.0",
        "eye = 0.5",
        "measured = 0.5",
        "disagreed = 9",
        "measured_right = 7",
    ]
    lines += ["[part]", "intercept = 1.0", "eye = 0.0", "measured = 1.0"]
    path.write_text("\n".join(lines))
    weights = read_fusion(path)
    assert (weights.measured_right, weights.disagreed) == (7, 9)
    assert weights.fuse(0.9, 0.1) == pytest.approx(0.5)
    assert weights.fuse(0.9, 0.5, is_part=True) == pytest.approx(1 / (1 + math.exp(-1)))
    assert ALIKE.fuse(0.9, 0.1, is_part=True) == pytest.approx(0.5)
    whole = star()
    for spectrum, is_part in ((whole, False), (between(whole, 5800.0, 9000.0), True)):
        assert shows_part(spectrum, find_task("WD")) is is_part
        made = PanelInspector(inspector(CALLED_NO), fusion=weights)
        record = run(made.inspect(spectrum, find_task("WD")))
        seen, measured = record.members
        assert record.p_yes == weights.fuse(seen.p_yes, measured.p_yes, is_part=is_part)


@pytest.mark.parametrize(("text", "fault"), [
    ("intercept = 0.0\neye = 1.0\n", "measured"),
    ("intercept = 0.0\neye = -1.0\nmeasured = 1.0\n", "eye"),
    ("intercept = 99.0\neye = 1.0\nmeasured = 1.0\n", "intercept"),
    ("intercept = 0.0\neye = 1.0\nmeasured = 1.0\nmore = 1.0\n", "more"),
    ("intercept = nan\neye = 1.0\nmeasured = 1.0\n", "intercept"),
    ("intercept = 0\neye = 1.0\nmeasured = 1.0\ndisagreed = 3\nmeasured_right = 4", "right"),
    ("intercept = 0\neye = 1.0\nmeasured = 1.0\n[part]\neye = 1", "part.intercept"),
])  # fmt: skip
def test_a_file_is_read_strictly(tmp_path: Path, text: str, fault: str):
    path = tmp_path / "panel.toml"
    path.write_text(text)
    with pytest.raises(ResourceError, match=fault):
        read_fusion(path)
