"""`spec-o3 plan`."""

from __future__ import annotations

from tests.app.cli.commands import FEW, MEASURED, fails, run


def test_plan_says_how_long_and_by_which_rate(few, tmp_path):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    told = run("plan", place, "--model", "spec-o3-3b", "--gpus", 8)
    assert told.splitlines() == [
        f"{FEW} of {FEW} candidates to inspect with spec-o3-3b",
        "rate       1.6 s each (published: 0.2 s a sample on 8 H100)",
        "time       1 s with 8 GPUs",
        "GPU-hours  0.00178",
        told.splitlines()[-1],
    ]
    assert told.splitlines()[-1].startswith("disk       0.0")
    told = run("plan", place, "--model", "mine", "--seconds-each", 3600, "--shard", "1/2")
    assert "time       2 h 0 min with 1 GPU\nGPU-hours  2\n" in told


def test_plan_goes_by_what_was_measured(few, tmp_path):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    assert "--limit 5" in fails("plan", place, *MEASURED)
    run("vet", place, "--limit", 2, *MEASURED)
    told = run("plan", place, *MEASURED)
    assert told.startswith("2 of 4 candidates to inspect with measured")
    assert "(measured: the mean of inspections in this session, one at a time)" in told
