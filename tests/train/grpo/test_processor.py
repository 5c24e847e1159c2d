"""What TRL and servers are given: the template, the processor, the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

from transformers.utils.chat_template_utils import render_jinja_template
from trl.chat_template_utils import is_chat_template_prefix_preserving, supports_tool_calling

from agent.engines.chat_tokens import token_ids
from agent.engines.patches import picture_tokens
from agent.inspection.episode import NO_CALLS_LEFT
from agent.protocol.protocol import SYSTEM, Turn, chat_parts, system_text
from agent.protocol.tool import TOOL_SCHEMA
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT
from tests.agent.protocol.chat_text import chat_text
from tests.small_models import tiny_qwen25
from tests.train.grpo.scenes import CV, Stage, pixels, stage_of, star, with_card
from train.examples import ExampleStore, write_examples
from train.export.episodes import Episode, random_episode
from train.grpo.environment import SpectrumEnvironment
from train.grpo.processor import SpectrumProcessor
from train.models.chat_template import CHAT_TEMPLATE

__all__ = ["tiny_qwen25"]


@pytest.fixture(scope="module")
def stage(tiny_qwen25) -> Stage:
    return stage_of(with_card(tiny_qwen25))


def messages(episode: Episode) -> list[dict]:
    found = []
    for turn in episode.turns:
        shown = [] if turn.picture is None else [episode.pictures[turn.picture]]
        content = [{"type": "image", "image": picture} for picture in shown]
        found.append(
            {"role": turn.role, "content": [*content, {"type": "text", "text": turn.text}]}
        )
    return found


def rendered(turns: list[dict], **options) -> str:
    return render_jinja_template([turns], chat_template=CHAT_TEMPLATE, **options)[0][0]


class TestTemplate:
    @pytest.mark.parametrize("seed", range(4))
    def test_as_the_protocol(self, seed: int):
        episode = random_episode(seed, QWEN25, COMPACT)
        assert rendered(messages(episode), add_generation_prompt=True) == chat_text(episode.turns)
        strings = [{"role": turn.role, "content": turn.text} for turn in episode.turns[2:3]]
        wanted = chat_text(episode.turns[2:3], model_speaks_next=False)
        assert rendered(strings) == wanted

    @pytest.mark.parametrize("seed", range(2))
    def test_the_same_tokens(self, seed: int, stage: Stage):
        episode = random_episode(seed, QWEN25, COMPACT)
        processor = SpectrumProcessor(stage.folder, stage.pictures)
        found = processor.apply_chat_template(
            messages(episode), tokenize=True, return_dict=True, add_generation_prompt=True
        )
        counts = [picture_tokens(one, stage.pictures.vision) for one in episode.pictures]
        wanted = token_ids(stage.tokens.tokenizer, chat_parts(episode.turns), counts)
        assert found["input_ids"] == [wanted]
        assert len(found["image_grid_thw"]) == len(episode.pictures)
        assert sum(found["mm_token_type_ids"][0]) == sum(counts)

    def test_describes_the_tool_where_the_system_turn_does_not(self):
        plain = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "?"}]
        turns = [Turn("system", system_text()), Turn("user", "?")]
        wanted = chat_text(turns, model_speaks_next=False)
        assert rendered(plain, tools=[TOOL_SCHEMA]) == wanted
        described = [{"role": "system", "content": system_text()}, plain[1]]
        assert rendered(described, tools=[TOOL_SCHEMA]) == wanted

    def test_trl_takes_it(self, stage: Stage):
        processor = SpectrumProcessor(stage.folder, stage.pictures)
        assert supports_tool_calling(processor)
        assert is_chat_template_prefix_preserving(processor)


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
