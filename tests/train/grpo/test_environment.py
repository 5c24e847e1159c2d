"""The environment that TRL gets: the spectrum of a row, and the tool."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl")

from agent.examples.examples import ExampleStore, write_examples
from agent.inspection.episode import NO_CALLS_LEFT
from agent.rendering.render import COMPACT
from tests.small_models import tiny_qwen25
from tests.train.grpo.scenes import CV, Stage, pixels, stage, star
from train.grpo.environment import SpectrumEnvironment

__all__ = ["stage", "tiny_qwen25"]


class TestEnvironment:
    @pytest.fixture
    def environment(self, stage: Stage, tmp_path: Path) -> SpectrumEnvironment:
        write_examples(tmp_path / "set.parquet", [star(1), star(2)])
        return SpectrumEnvironment(stage.pictures, ExampleStore([tmp_path / "set.parquet"]))

    def test_shows_the_spectrum_of_the_row_as_in_use(self, environment, stage: Stage):
        one = star(2)
        picture, text = environment.reset(sha256=one.sha256, task="CV", answer="NO", key="x")
        rollout = stage.rollout(one)
        assert pixels([picture["image"]]) == pixels(rollout.conversation.pictures)
        assert text["text"].startswith("The picture shows the whole spectrum of one object.")
        assert environment.task == CV

    def test_the_tool(self, environment):
        environment.reset(sha256=star(1).sha256, task="CV")
        picture, line = environment.spectral_visualization_tool([6500, 6600], label="Hα")
        assert picture["image"].size == (COMPACT.width, COMPACT.height)
        assert line["text"].endswith("(6500, 6600) Å for Hα.")
        (refusal,) = environment.spectral_visualization_tool([1, 2])
        assert "does not overlap" in refusal["text"]

    def test_eight_calls_counted_by_calls(self, environment):
        environment.reset(sha256=star(1).sha256, task="CV")
        for number in range(8):
            environment.spectral_visualization_tool([6500 + number, 6600])
        (last,) = environment.spectral_visualization_tool([6500, 6600])
        assert last["text"] == NO_CALLS_LEFT
        environment.reset(sha256=star(1).sha256, task="CV")
        assert len(environment.spectral_visualization_tool([6500, 6600])) == 2
