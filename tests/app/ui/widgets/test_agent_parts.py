"""Short and unique names of models."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from app.ui.widgets.agent_parts import colour_verdict, record_names, short_name


def record(name, sha256=""):
    return Trajectory(
        task="CV",
        spectrum=SpectrumRef(),
        model=ModelRef(name=name, sha256=sha256),
        steps=(),
        stopped_by="answer",
    )


def test_long_names_keep_their_end():
    assert short_name("nano") == "nano"
    assert short_name("/models/" + "x" * 30 + "-Q4.gguf") == "…" + "x" * 18 + "-Q4.gguf"


def test_models_of_one_name_are_told_apart():
    assert record_names([record("nano"), record("measured")]) == ["nano", "measured"]
    same = [record("nano", "abcdef01"), record("nano", "123456ff")]
    assert record_names(same)[0] == "nano · abcdef" and len(set(record_names(same))) == 2


def test_verdicts_are_coloured(qtbot):
    label = QLabel()
    qtbot.addWidget(label)
    roles = []
    for verdict in ("YES", "NO", None):
        colour_verdict(label, verdict)
        roles.append(label.property("role"))
    assert roles == ["accept", "reject", "title"]
