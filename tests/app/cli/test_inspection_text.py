"""Steps of an inspection in the terminal."""

from __future__ import annotations

from agent.trajectory.trajectory import Step
from app.cli.inspection_text import _line_words, step_lines


def test_of_many_lines_the_surest_are_told_by_wavelength():
    sure = {"BaII_4554": 1, "HeII_4686": 4, "H_beta": 17, "HeI_4922": 2, "OIII_5007": 3, "own": 2.5}
    found = [
        {"name": name, "kind": "emission", "ew": -1.0, "sigma": sigma}
        for name, sigma in sure.items()
    ]
    edges = [{"name": "C2_5165_edge", "drop": 0.2, "sigma": 9.0}]
    step = Step(
        kind="zoom", by="agent", turn=1, range=(4500.0, 5050.0), label="",
        measured={"lines": found, "edges": edges},
    )  # fmt: skip
    told = [line.plain.strip() for line in step_lines(step)][1:]
    assert told == [
        "He II 4686 in emission, EW -1 Å, 4 σ",
        "Hβ in emission, EW -1 Å, 17 σ",
        "[O III] 5007 in emission, EW -1 Å, 3 σ",
        "own in emission, EW -1 Å, 2 σ",
        "C₂ 5165: drop 0.2, 9 σ",
    ]


def test_a_line_in_the_noise_is_said_to_be_there():
    assert _line_words({"name": "HeI_6678", "kind": "", "ew": 0.09}) == (
        "He I 6678 in the noise, EW 0.09 Å"
    )


def test_a_clear_line_without_a_kind_is_not_said_to_be_noise():
    assert _line_words({"name": "H_9", "kind": "", "ew": 0.608, "sigma": 26.0}) == (
        "H9 unclear, EW 0.608 Å, 26 σ"
    )
