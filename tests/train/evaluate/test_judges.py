from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.engines.base import SamplingSettings
from agent.errors import WorkbenchError
from agent.inspection.model_inspector import ModelInspector
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import read_trajectories
from tests.scripted_engine import ScriptedEngine
from tests.train.evaluate.helpers import MEASURED
from train.evaluate.judges import JudgeKind, JudgeSpec
from train.evaluate.judging import judge_set, trajectories_path

CALL = (
    '<think>Look.</think>\n<tool_call>\n{"name": "spectral_visualization_tool", '
    '"arguments": {"wavelength_range": [6500, 6600]}}\n</tool_call>'
)

ANSWER = "<think>Seen.</think>\n<answer>\\boxed{YES} broad emission</answer>"


class TestInspectors:
    @pytest.fixture
    def engine(self, monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
        engine = ScriptedEngine([CALL, ANSWER])
        warm = SamplingSettings(temperature=1.0)
        inspector = ModelInspector(engine, ModelRef(name="scripted"), sampling=warm)
        factory = "agent.inspection.inspector_factory.make_inspector"
        monkeypatch.setattr(factory, lambda *args, **more: inspector)
        return engine

    @pytest.mark.parametrize(("kind", "pictures"), [("inspector", 2), ("toolless", 1)])
    def test_judging_without_the_tool(
        self, engine: ScriptedEngine, bench: Path, tmp_path: Path, kind: JudgeKind, pictures: int
    ):
        spec = JudgeSpec(name="x", kind=kind, source="x")
        out = tmp_path / "x.jsonl"
        (one,) = judge_set(spec, bench / "test.parquet", out, limit=1, tasks=("CV",))
        assert (one.verdict, one.calls, one.turns, one.well_formed) == ("YES", 1, 2, True)
        (conversation,) = engine.conversations
        assert len(conversation.pictures) == pictures
        (record,) = read_trajectories(trajectories_path(out))
        assert record.sampling.temperature == 0.0

    def test_the_measured_inspector_needs_the_tool(self, bench: Path, tmp_path: Path):
        spec = replace(MEASURED, kind="toolless")
        with pytest.raises(WorkbenchError, match="cannot judge without the tool"):
            judge_set(spec, bench / "test.parquet", tmp_path / "x.jsonl", limit=1)
