"""What TRL and servers are given: the template, the processor, the environment."""

from __future__ import annotations

import pytest

pytest.importorskip("trl")

from transformers.utils.chat_template_utils import render_jinja_template
from trl.chat_template_utils import is_chat_template_prefix_preserving, supports_tool_calling

from agent.convert.episodes import RandomEpisode, random_episode
from agent.engines.chat_tokens import token_ids
from agent.engines.patches import picture_tokens
from agent.protocol.protocol import SYSTEM, Turn, chat_parts, system_text
from agent.protocol.tool import TOOL_SCHEMA
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT
from tests.agent.protocol.chat_text import chat_text
from tests.small_models import tiny_qwen25
from tests.train.grpo.scenes import Stage, stage
from train.grpo.setup import SpectrumProcessor
from train.models.model_folder import CHAT_TEMPLATE

__all__ = ["stage", "tiny_qwen25"]


def messages(episode: RandomEpisode) -> list[dict]:
    found = []
    for turn in episode.turns:
        shown = [] if turn.picture is None else [episode.pictures[turn.picture]]
        content = [{"type": "image", "image": picture} for picture in shown]
        content += [{"type": "text", "text": turn.text}]
        found.append({"role": turn.role, "content": content})
    return found


def rendered(turns: list[dict], **options) -> str:
    return render_jinja_template([turns], chat_template=CHAT_TEMPLATE, **options)[0][0]


class TestTemplate:
    @pytest.mark.parametrize("seed", range(4))
    def test_as_the_protocol(self, seed: int):
        episode = random_episode(seed, QWEN25, COMPACT)
        assert rendered(messages(episode), add_generation_prompt=True) == chat_text(episode.turns)
        strings = [{"role": turn.role, "content": turn.text} for turn in episode.turns[2:3]]
        assert rendered(strings) == chat_text(episode.turns[2:3], model_speaks_next=False)

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
