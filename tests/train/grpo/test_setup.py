"""The trainer is built from our settings, and a round of ours is a round of TRL's."""

from operator import attrgetter
from pathlib import Path

import pytest

pytest.importorskip("trl")
pytest.importorskip("peft")
pytest.importorskip("transformers")

import numpy as np
from transformers.utils.chat_template_utils import render_jinja_template
from trl.chat_template_utils import is_chat_template_prefix_preserving, supports_tool_calling

from agent.convert.episodes import RandomEpisode, random_episode
from agent.engines.chat_tokens import token_ids
from agent.engines.families import FAMILIES
from agent.engines.patches import patches, picture_tokens
from agent.errors import ToolError
from agent.examples.examples import ExampleStore, write_examples
from agent.inspection.episode import NO_CALLS_LEFT
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.protocol import SYSTEM, Turn, chat_parts, system_text
from agent.protocol.tool import TOOL_SCHEMA
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT
from tests.agent.protocol.chat_text import chat_text
from tests.small_models import tiny_qwen25
from tests.train.grpo.scenes import CV, Stage, pixels, stage, star
from tests.train.grpo.training import trainer_of
from train.grpo import pictures as module
from train.grpo.pictures import PictureCache, window_of
from train.grpo.settings import GrpoSettings
from train.grpo.setup import SpectrumProcessor, make_config
from train.grpo.trainer import SpectrumEnvironment
from train.models.model_folder import CHAT_TEMPLATE


def test_a_round_of_the_config(tmp_path: Path) -> None:
    settings = GrpoSettings(
        questions=4, minibatch=2, rollouts=4, microbatch=4, rounds=3, save_every=2, clip=0.3,
        weight_decay=0.01, dual_clip=3.0, turn_tokens=0,
    )  # fmt: skip
    config = make_config(settings, tmp_path, [7, 9], seed=5)
    assert config.gradient_accumulation_steps == 2
    assert config.steps_per_generation == 4
    assert (config.max_steps, config.save_steps, config.logging_steps) == (6, 4, 2)
    assert (config.epsilon, config.beta, config.seed) == (0.3, 0.0, 5)
    assert (config.weight_decay, config.delta) == (0.01, 3.0)
    assert config.generation_kwargs["max_new_tokens"] == settings.rollout_tokens
    assert config.shuffle_dataset is False
    assert config.generation_kwargs["suppress_tokens"] == [7, 9]


def test_what_is_off_is_off(tmp_path: Path) -> None:
    config = make_config(GrpoSettings(microbatch=4), tmp_path, [], seed=0)
    assert (config.weight_decay, config.delta) == (0.0, None)
    assert config.generation_kwargs["max_new_tokens"] == 1024


@pytest.mark.parametrize("trained", ["language", "all"])
def test_the_vision_tower_is_trained_only_on_request(trained: str, toy: Path, tmp_path: Path):
    trainer = trainer_of(toy, tmp_path, trained=trained)
    tower, language = trainer.model.model.visual, trainer.model.model.language_model
    assert {each.requires_grad for each in tower.parameters()} == {trained == "all"}
    assert {each.requires_grad for each in language.parameters()} == {True}


# The environment that TRL gets: the spectrum of a row, and the tool.
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


# What TRL and servers are given: the template, the processor, the environment.
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


VISION = FAMILIES["qwen2_5_vl"].vision


@pytest.fixture
def drawing():
    made = PictureCache(COMPACT, QWEN25, VISION)
    yield made
    made.close()


def looked(view: PictureMaker, low: float, high: float, label: str = ""):
    return view.look({"wavelength_range": [low, high], "label": label})


def test_drawn_once_whatever_the_label(drawing: PictureCache):
    view = drawing.maker(star(1))
    one, first = looked(view, 6500, 6600, "Hα")
    other, second = looked(drawing.maker(star(1)), 6500.0, 6600, "another thing")
    assert one is other
    assert first.text.endswith("(6500, 6600) Å for Hα.")
    assert second.text.endswith("(6500.0, 6600) Å for another thing.")
    assert drawing.drawn_count == 1
    looked(view, 6500, 6601)
    looked(drawing.maker(star(2)), 6500, 6600)
    view.overview()
    assert drawing.drawn_count == 4


def test_the_pictures_of_use(drawing: PictureCache):
    spectrum = star(3).spectrum
    plain = PictureMaker.of(spectrum, spectrum_ref(spectrum), COMPACT, QWEN25)
    view = drawing.maker(star(3))
    found, result = looked(view, 6500, 6600, "Hα")
    wanted, told = looked(plain, 6500, 6600, "Hα")
    assert pixels([found, view.overview()]) == pixels([wanted, plain.overview()])
    same = attrgetter("text", "range", "label", "points")
    assert same(result) == same(told)
    assert np.array_equal(drawing.patches(found).rows, patches(wanted, VISION).rows)


@pytest.mark.parametrize("arguments", [{}, {"wavelength_range": [1, 2]}, "x", None])
def test_refusals_in_the_words_of_use(drawing: PictureCache, arguments: object):
    view = drawing.maker(star(1))
    with pytest.raises(ToolError) as wanted:
        view.plain.look(arguments)
    with pytest.raises(ToolError) as found:
        view.look(arguments)
    assert str(found.value) == str(wanted.value)
    assert drawing.drawn_count == 0


def test_several_processes_draw_the_same(drawing: PictureCache):
    shared = PictureCache(COMPACT, QWEN25, VISION, workers=2)
    try:
        views = [shared.maker(star(number)) for number in range(3)]
        shared.draw_ahead([(view, (6500.0, 6600.0)) for view in views])
        shared.draw_ahead([(views[0], (1.0, 2.0)), (views[1], None), (views[2], (4000.0, 5000.0))])
        assert shared.drawn_count == 5
        found = [looked(view, 6500, 6600)[0] for view in views] + [views[1].overview()]
        assert shared.drawn_count == 5
    finally:
        shared.close()
    plain = [drawing.maker(star(number)) for number in range(3)]
    wanted = [looked(view, 6500, 6600)[0] for view in plain] + [plain[1].overview()]
    assert pixels(found) == pixels(wanted)


def test_old_pictures_make_room(drawing: PictureCache, monkeypatch: pytest.MonkeyPatch):
    view = drawing.maker(star(1))
    first, _ = looked(view, 6500, 6600)
    monkeypatch.setattr(module, "MAX_BYTES", 1)
    looked(view, 4000, 5000)
    again, _ = looked(view, 6500, 6600)
    assert again is not first
    assert drawing.drawn_count == 3
    assert np.array_equal(drawing.patches(first).rows, drawing.patches(again).rows)


def test_what_a_call_asks_for():
    assert window_of({"wavelength_range": [6500, 6600.5]}) == (6500.0, 6600.5)
    assert window_of({"wavelength_range": [6600, 6500]}) is None
    assert window_of("nonsense") is None
