"""The inspector without a model: its record is one like any other, and a valid example to learn."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.engines.base import SamplingSettings
from agent.errors import SpectrumError, ToolError
from agent.evidence.assessment import assess
from agent.inspection.control import Control, Interjection
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import (
    BlankPictureMaker,
    MeasuredConversation,
    MeasuredInspector,
)
from agent.inspection.measured_turns import shown_range
from agent.inspection.pictures import PictureMaker, redraw, spectrum_ref
from agent.protocol.reply import is_well_formed, parse_reply
from agent.protocol.tool import checked_arguments
from agent.rendering.model_image import QWEN25
from agent.rendering.render import PUBLISHED
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import turns_of
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.scenes import star
from tests.agent.tasks.test_catalogue import example

BLIND = MeasuredInspector(draw=False)
MRS_ARMS = (4950.0, 5350.0), (6300.0, 6800.0)  # of LAMOST's medium resolution


def inspected(spectrum: Spectrum, task_id: str = "CV", **options: object) -> Trajectory:
    return run(BLIND.inspect(spectrum, find_task(task_id), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(("label", "task_id", "verdict"), [
    ("CV", "CV", "YES"), ("QSO", "CV", "NO"), ("MG", "MG", "YES"), ("M_DWARF", "MG", "NO"),
    ("CS", "CS", "YES"), ("K", "CS", "NO"), ("SS", "SS", "YES"), ("MG", "SS", "NO"),
    ("WD", "WD", "YES"), ("A", "WD", "NO"), ("A", "A", "YES"),
])  # fmt: skip
def test_clear_cases_are_judged_right_and_told_in_a_valid_record(label, task_id, verdict):
    record = inspected(simulated_spectrum(label), task_id)
    assert record.verdict == verdict
    assert record.p_yes is not None and (record.p_yes >= 0.5) == (verdict == "YES")
    assert record.stopped_by == "answer" and record.well_formed
    assert is_well_formed(record.replies)
    assert 3 <= len(record.looks) <= 8
    kinds = [step.kind for step in record.steps]
    assert kinds == ["think", "zoom"] * len(record.looks) + ["think", "answer"]


def test_pictures_of_the_record_are_drawn_again_alike():
    spectrum = simulated_spectrum("CV")
    record = run(MeasuredInspector().inspect(spectrum, find_task("CV")))
    assert len(redraw(record, spectrum)) == 1 + len(record.looks)
    assert record.overview and all(look.picture for look in record.looks)
    blind = inspected(spectrum)
    assert blind.replies == record.replies and blind.p_yes == record.p_yes
    assert not blind.overview and not any(look.picture for look in blind.looks)


def test_the_same_spectrum_gives_the_same_record():
    def without_times(record: Trajectory) -> Trajectory:
        steps = tuple(replace(step, seconds=0.0) for step in record.steps)
        return replace(record, steps=steps, seconds=0.0, engine_seconds=0.0)

    spectrum = simulated_spectrum("WD")
    one, two = (without_times(inspected(spectrum, "WD", seed=0)) for _ in range(2))
    assert one == two
    assert one.model == BLIND.model and len(one.model.sha256) == 64


def test_it_stops_when_told_to():
    control = Control()
    control.cancel()
    record = inspected(simulated_spectrum("CV"), control=control)
    assert record.stopped_by == "cancelled" and record.stop_reason == "stopped by the user"
    assert record.verdict is None and record.p_yes is None and not record.well_formed

    control = Control()
    inspection = BLIND.inspect(simulated_spectrum("CV"), find_task("CV"), control=control)
    steps = [next(inspection), next(inspection)]
    control.cancel()
    with pytest.raises(StopIteration) as end:
        while True:
            steps.append(next(inspection))
    record = end.value.value
    assert record.stopped_by == "cancelled" and record.steps[: len(steps)] == tuple(steps)
    assert len(record.looks) < len(inspected(simulated_spectrum("CV")).looks)


def test_a_person_looks_and_speaks_in_between():
    control = Control()
    control.insert(Interjection(range=(5800.0, 5950.0), label="Na D", text="what of this?"))
    control.insert(Interjection(text="the blue is noisy"))
    control.insert(Interjection(range=(100.0, 200.0)))
    record = inspected(simulated_spectrum("CV"), control=control)
    look, remark, outside = (step for step in record.steps if step.by == "person")
    assert look.kind == "zoom" and look.range == (5800.0, 5950.0) and look.measured["n_pixels"] > 20
    assert (remark.kind, remark.text) == ("text", "the blue is noisy")
    assert outside.range == (100.0, 200.0)
    assert record.verdict == "YES" and record.well_formed


def test_a_record_to_go_on_from_keeps_what_the_person_put_in():
    control = Control()
    control.insert(Interjection(range=(5800.0, 5950.0), label="Na D"))
    drawing = MeasuredInspector()
    first = run(drawing.inspect(simulated_spectrum("CV"), find_task("CV"), control=control))
    again = run(drawing.inspect(simulated_spectrum("CV"), find_task("CV"), so_far=first))
    kept = [step for step in again.steps if step.by == "person"]
    assert [step.range for step in kept] == [(5800.0, 5950.0)] and kept[0].turn == -1
    assert again.replies == first.replies
    assert len(redraw(again, simulated_spectrum("CV"))) == 1 + len(again.looks)


def test_words_are_passed_on_as_they_come():
    heard: list[str] = []
    record = run(BLIND.inspect(simulated_spectrum("CV"), find_task("CV"), on_text=heard.append))
    assert tuple(heard) == record.replies


def test_a_pipelines_redshift_of_the_wrong_kind_moves_nothing():
    quasar_like = replace(simulated_spectrum("CV"), z=1.7)
    assert inspected(quasar_like).spectrum.z is None
    assert abs(assess(quasar_like, find_task("CV")).numbers.velocity_kms) < 400


def test_a_users_own_task_is_judged_by_the_weights_in_its_file(tmp_path: Path):
    path = tmp_path / "be.toml"
    path.write_text(example(), encoding="utf-8")
    own = find_task(str(path))
    record = run(BLIND.inspect(simulated_spectrum("CV"), own))
    assert record.well_formed and record.verdict in ("YES", "NO")
    none = run(BLIND.inspect(simulated_spectrum("K"), own))
    assert none.verdict == "NO" and none.p_yes is not None
    assert none.p_yes < (record.p_yes or 0.0)


@pytest.mark.parametrize("task_id", ["CV", "CS", "SS", "MG", "WD", "O", "B", "A"])
def test_poor_data_get_an_answer_near_the_prior_and_never_an_exception(task_id, rng):
    wave = np.arange(3800.0, 9000.0, 1.5)
    noise = Spectrum(wavelength=wave, flux=rng.normal(0.3, 1.0, wave.size), ivar=np.ones(wave.size))
    record = inspected(noise, task_id)
    assert record.well_formed and record.verdict == "NO"
    assert 0.0005 < (record.p_yes or 0.0) < 0.5
    spiked = noise.flux.copy()
    spiked[::7], spiked[::11] = np.nan, 1e30
    for flux, ivar in ((spiked, None), (np.zeros(wave.size), None), (spiked, np.zeros(wave.size))):
        odd = Spectrum(wavelength=wave, flux=flux, ivar=ivar)
        assert inspected(odd, task_id).well_formed


@pytest.mark.parametrize("cut", [(4000.0, 5600.0), (6000.0, 9000.0), (5000.0, 5200.0)])
def test_part_of_the_range_is_enough_for_an_answer(cut):
    whole = simulated_spectrum("CS")
    inside = (whole.wavelength > cut[0]) & (whole.wavelength < cut[1])
    part = Spectrum(wavelength=whole.wavelength[inside], flux=whole.flux[inside])
    record = inspected(part, "CS")
    assert record.well_formed and record.stopped_by == "answer"
    assert all(cut[0] - 400 < (look.range or (0, 0))[1] for look in record.looks)
    assert not any(step.error for step in record.steps)


@pytest.mark.parametrize("task_id", ["CV", "CS", "WD", "A"])
def test_two_arms_are_enough_for_an_answer_that_says_what_they_do_not_hold(task_id):
    whole = simulated_spectrum(task_id)
    inside = [(whole.wavelength > low) & (whole.wavelength < high) for low, high in MRS_ARMS]
    kept = np.logical_or(*inside)
    arms = replace(
        whole, wavelength=whole.wavelength[kept], flux=whole.flux[kept],
        ivar=None if whole.ivar is None else whole.ivar[kept],
        mask=None if whole.mask is None else whole.mask[kept],
    )  # fmt: skip
    record = inspected(arms, task_id)
    untested = record.reasons.partition("Not testable here: ")[2]
    assert record.verdict in ("YES", "NO") and record.well_formed
    assert any(far in untested for far in ("4000 Å break", "Hβ", "Ca II K", "4738"))
    assert "Hα" not in untested


def test_nothing_to_draw_is_refused():
    nothing = Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.full(2, np.nan))
    with pytest.raises(SpectrumError):
        run(MeasuredInspector().inspect(nothing, find_task("CV")))


# Prepared turns, said in order; and answers without pictures.
SAMPLING = SamplingSettings()


def test_a_conversation_says_its_turns_in_order_returns_to_a_mark_and_is_silent_when_cancelled():
    conversation = MeasuredConversation(("one", "two"))
    heard: list[str] = []
    texts = [conversation.generate(SAMPLING, on_text=heard.append).text for _ in range(3)]
    assert texts == heard == ["one", "two", "two"]
    conversation = MeasuredConversation(("one", "two"))
    start = conversation.mark()
    conversation.generate(SAMPLING)
    conversation.rewind(start)
    assert conversation.generate(SAMPLING).text == "one"
    conversation = MeasuredConversation(("one",))
    cancelled = conversation.generate(SAMPLING, should_stop=lambda: True)
    assert (cancelled.text, cancelled.finish) == ("", "cancelled")
    assert conversation.generate(SAMPLING).text == "one"


def test_blank_pictures_come_with_the_usual_text():
    spectrum = star()
    about = spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25
    makers = [kind.of(*about) for kind in (PictureMaker, BlankPictureMaker)]
    call = {"wavelength_range": [6400, 6700], "label": "Hα"}
    (drawn, full), (blank, empty) = (maker.look(call) for maker in makers)
    assert full.text == empty.text and (empty.range, empty.label) == ((6400, 6700), "Hα")
    assert blank.size == makers[1].overview().size == (1, 1) != drawn.size
    with pytest.raises(ToolError, match="must start below"):
        makers[1].look({"wavelength_range": [6700, 6400]})


# Each step's table holds the numbers that it names, without repeating earlier tables.
def test_the_opening_thought_and_the_answer_have_tables_of_their_own():
    spectrum = simulated_spectrum("CV")
    record = run(MeasuredInspector(draw=False).inspect(spectrum, find_task("CV")))
    opening, answer = record.steps[0], record.steps[-1]
    assert "flux at 4240 over 6630" in [row["name"] for row in opening.measured["values"]]
    listed = [row["name"] for step in record.steps[:-1] for row in step.measured.get("lines", ())]
    assert not {row["name"] for row in answer.measured.get("lines", ())} & set(listed)
    assert all(not step.measured for step in record.steps[1:-1] if step.kind == "think")


def test_a_look_of_any_model_measures_lines_at_the_velocity_of_the_star():
    """The table beside a model's sentences is the one that the measured inspector has."""
    spectrum = simulated_spectrum("YSO")
    record = run(MeasuredInspector(draw=False).inspect(spectrum, find_task("CV")))
    look = next(step for step in record.looks if step.label.startswith("Hα"))
    assert look.range is not None
    maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25)
    for row in maker.measure(*look.range)["lines"]:
        assert row in look.measured["lines"]


# The measured inspector's turns: well-formed calls, measured values, honest reasons.
def test_replies_read_back_as_the_steps_of_the_record():
    record = inspected(simulated_spectrum("CV"))
    for turn, reply in enumerate(record.replies):
        said = parse_reply(reply)
        thought, act = (step for step in record.steps if step.turn == turn)
        assert said.thought == thought.text
        if act.kind == "answer":
            assert (said.kind, said.verdict, said.answer) == ("answer", act.verdict, act.text)
        else:
            assert said.kind == "call"
            assert checked_arguments(said.arguments) == (act.range, act.label)
    assert [turn.role for turn in turns_of(find_task("CV"), record)][-1] == "assistant"


def test_thoughts_cite_what_was_measured_in_the_window_before():
    record = inspected(simulated_spectrum("CV"))
    thoughts = [step.text for step in record.steps if step.kind == "think"]
    assert "S/N" in thoughts[0] and "Å" in thoughts[0]
    for look, after in zip(record.looks, thoughts[1:], strict=True):
        assert f"Measured in {look.label}:" in after
        assert "±" in after
        assert look.measured["n_pixels"] > 10
    alpha = next(step for step in record.looks if step.label.startswith("Hα"))
    strongest = alpha.measured["feature"]
    assert strongest["kind"] == "emission" and "H_alpha" in str(strongest) + str(alpha.measured)
    assert "emission" in record.reasons and any(mark.isdigit() for mark in record.reasons)


def test_windows_follow_a_fast_star_and_stay_put_in_the_frame_of_the_pictures():
    rest, window, cs = simulated_spectrum("K"), (6340.0, 6425.0), find_task("CS")
    moved = replace(rest, wavelength=rest.wavelength * 1.0012, z=None)
    shown = shown_range(window, assess(moved, cs))
    assert shown == pytest.approx((6347.6, 6432.7), abs=2.0)
    framed = replace(moved, z=0.0012)
    assert shown_range(window, assess(framed, cs)) == (6340, 6425)
    record = inspected(framed, "CS")
    assert record.verdict == "NO" and record.spectrum.z == 0.0012
    assert shown_range((6100.0, 7100.0), assess(moved, cs)) == (6100, 7100)


def test_reasons_name_only_what_counts_the_way_it_reads():
    for label in ("K", "QSO", "M_DWARF", "WD", "CV"):
        record = inspected(simulated_spectrum(label), "CV")
        first = record.reasons.split("It looks more like")[0]
        if record.verdict == "NO":
            assert "no [O III]" not in first
        else:
            assert "no Hα emission" not in first


def test_labels_in_calls_survive_json():
    for reply in inspected(simulated_spectrum("O"), "O").replies[:-1]:
        body = reply.split("<tool_call>\n")[1].split("\n</tool_call>")[0]
        assert set(json.loads(body)["arguments"]) == {"wavelength_range", "label"}
