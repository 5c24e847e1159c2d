"""Steps of an inspection in the terminal."""

from __future__ import annotations

from agent.trajectory.trajectory import Step
from app.cli.inspection_text import _line_words, step_lines


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


def test_a_line_in_the_noise_is_said_to_be_there_without_a_significance():
    row = {"name": "OIII_4959", "kind": "", "ew": -0.03, "ew_error": 0.24, "sigma": 2.9}
    assert _line_words(row) == "[O III] 4959 in the noise, EW -0.03 ± 0.24 Å"


def test_a_profile_whose_area_is_noise_is_unclear_as_the_sentences_say():
    row = {"name": "H_9", "kind": "emission", "ew": -0.4, "ew_error": 0.3, "sigma": 4.5}
    assert _line_words(row) == "H9 unclear, EW -0.40 ± 0.30 Å, 4.5 σ"


def test_a_dip_at_a_forbidden_line_is_not_said_to_be_noise():
    row = {"name": "OIII_4959", "kind": "", "ew": 0.608, "ew_error": 0.05, "sigma": 15.0}
    assert _line_words(row) == "[O III] 4959 unclear, EW 0.61 ± 0.05 Å, 15 σ"
