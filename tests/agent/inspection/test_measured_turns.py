"""The measured inspector's turns: well-formed calls, measured values, honest reasons."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agent.evidence.assessment import assess
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.inspection.measured_turns import shown_range
from agent.protocol.reply import parse_reply
from agent.protocol.tool import checked_arguments
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import turns_of
from tests.agent.evidence.simulated import simulated_spectrum

BLIND = MeasuredInspector(draw=False)


def inspected(spectrum: Spectrum, task_id: str = "CV", **options: object) -> Trajectory:
    return run(BLIND.inspect(spectrum, find_task(task_id), **options))  # type: ignore[arg-type]


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
