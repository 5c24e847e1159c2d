"""One published row, in invented words, from its file to what the engine receives in training and
in judging."""

import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import read_examples
from agent.models.card import Card
from agent.models.card_file import read_card, write_card
from agent.models.folders import wording_folder
from agent.models.infer_card import make_card
from agent.protocol.protocol import TOOL_BLOCK
from agent.protocol.rules import AS_PUBLISHED as PUBLISHED_RULES
from agent.protocol.wording import Wording
from agent.protocol.wording_file import read_wording, write_wording
from agent.rendering.render import AS_PUBLISHED, COMPACT
from tests.agent.protocol.wordings import (
    SYSTEM,
    TOOL_LINE,
    bench_row,
    cold_start_row,
    text_of,
    wording,
)
from tests.scripted_engine import ScriptedEngine
from tests.small_models import make_folder
from tests.train.bench.published_files import png, verl_row, write_rows
from tests.train.grpo.scenes import Script, Stage, call, stage_of
from tests.train.sft.samples import MINUTE, MINUTE_MODEL
from train.bench.published import convert
from train.evaluate.judges import InspectorJudge, JudgeSpec
from train.grpo.pictures import PictureCache
from train.grpo.rollout import Limits, Rollout, roll_out
from train.grpo.run import reinforce
from train.grpo.settings import GrpoSettings
from train.sft.run import fine_tune
from train.sft.settings import SftSettings
from train.wordings import FOLDER, find_wording, install, wording_to_train

ANSWER = "<think>Plain.</think><answer>\\boxed{YES} the bump</answer>"
SYSTEM_TURN = SYSTEM + TOOL_BLOCK.format(schemas=TOOL_LINE)
OPENING = (
    f"<|im_start|>system\n{SYSTEM_TURN}<|im_end|>\n<|im_start|>user\n<|vision_start|><|image_pad|>"
    f"<|vision_end|>{text_of('cv')}<|im_end|>\n<|im_start|>assistant\n"
)
"""What the template of the published models renders from the row."""

pytestmark = pytest.mark.usefixtures("own_models")


class Made(NamedTuple):
    out: Path
    said: str


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Sets, conversations and wording, from files of the published columns."""
    folder = tmp_path_factory.mktemp("hub")
    rows = [verl_row(number, "cv", "YES" if number % 2 else "NO") for number in range(8)]
    rows = [row | {"prompt": bench_row("cv")["prompt"]} for row in rows]
    write_rows(folder / "benchmark" / "data" / "train_cv.parquet", rows)
    (folder / "cold" / "images").mkdir(parents=True)
    for number in range(2):
        (folder / "cold" / "images" / f"{number}.png").write_bytes(png())
    window = "Generated spectral visualization focused on wavelength range (6500, 6600) Å."
    shown = f"<tool_response>\n<image>{window}\n</tool_response>"
    turns = (("gpt", call(6500, 6600)), ("human", shown))
    talk = cold_start_row("cv", *turns) | {"images": ["images/0.png", "images/1.png"]}
    (folder / "cold" / "train_sharegpt.json").write_text(json.dumps([talk]))
    out = tmp_path_factory.mktemp("sets")
    return Made(out, convert(folder, out))


@pytest.fixture(scope="module")
def words(made: Made) -> Wording:
    return read_wording(made.out / FOLDER)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("tiny"), "qwen2.5-vl", MINUTE)


@pytest.fixture
def published(tiny: Path) -> Card:
    """The card of a model that was trained in these words."""
    card = make_card(tiny, style=AS_PUBLISHED, rules="published", wording="spec-o3")
    write_card(card, tiny)
    return card


def one_picture(text: str) -> str:
    while "<|image_pad|>" * 2 in text:
        text = text.replace("<|image_pad|>" * 2, "<|image_pad|>")
    return text


class TestBench:
    def test_keeps_the_words_of_rows(self, made: Made, words: Wording):
        assert (words.name, words.system, words.tool) == ("spec-o3", SYSTEM, TOOL_LINE)
        assert dict(words.tasks) == {"CV": text_of("cv")}
        assert words.sha256[:12] in made.said
        assert "the words of the rows (CV) are kept" in (made.out / "README.md").read_text()

    def test_copies_conversations_word_for_word(self, made: Made):
        (row,) = map(json.loads, (made.out / "conversations.jsonl").read_text().splitlines())
        said = [one["content"] for one in row["messages"]]
        assert said[:2] == [SYSTEM_TURN, f"<image>{text_of('cv')}"]
        assert said[-1] == ANSWER


def test_judging_asks_in_the_words_of_the_row(
    made: Made, tiny: Path, published: Card, monkeypatch: pytest.MonkeyPatch
):
    """The model's wording is not installed: that beside the set is used."""
    engine = ScriptedEngine([ANSWER])
    monkeypatch.setattr("agent.inspection.inspector_factory.load_engine", lambda *a, **k: engine)
    spec = JudgeSpec(name="x", kind="inspector", source=str(tiny), wording=made.out / FOLDER)
    judge = InspectorJudge(spec)
    one = next(iter(read_examples(made.out / "train.parquet")))
    ((judgement, record),) = judge.judge([one])
    system, user = engine.conversations[0].turns[:2]
    assert (system.text, user.text) == (SYSTEM_TURN, text_of("cv"))
    assert judgement.verdict == "YES"
    assert record is not None and record.wording.sha256 == read_wording(made.out / FOLDER).sha256


class TestGrpo:
    def stage(self, tiny: Path, words: Wording) -> Stage:
        plain = stage_of(tiny)
        sight = (COMPACT, plain.pictures.sizing, plain.pictures.vision)
        pictures = PictureCache(*sight, rules=PUBLISHED_RULES, wording=words)
        return replace(plain, pictures=pictures)

    def rolled(self, made: Made, tiny: Path, words: Wording, *said: str) -> tuple[Rollout, str]:
        stage = self.stage(tiny, words)
        one = next(iter(read_examples(made.out / "train.parquet")))
        rollout = stage.rollout(one, Limits(turn=400, rollout=20_000))
        roll_out([rollout], Script(stage.tokens, said), stage.pictures, 1)
        text = stage.tokens.tokenizer.decode(rollout.conversation.ids, skip_special_tokens=False)
        return rollout, one_picture(text)

    def test_a_rollout_is_what_the_template_renders(self, made: Made, tiny: Path, words: Wording):
        rollout, text = self.rolled(made, tiny, words, call(6500, 6600), ANSWER)
        window = "Generated spectral visualization focused on wavelength range (6500, 6600) Å."
        # No line end between the end mark that was sampled and the next turn.
        assert text == (
            f"{OPENING}{call(6500, 6600)}<|im_end|><|im_start|>user\n<tool_response>\n"
            f"<|vision_start|><|image_pad|><|vision_end|>{window}\n</tool_response><|im_end|>\n"
            f"<|im_start|>assistant\n{ANSWER}<|im_end|>"
        )
        assert len(rollout.conversation.pictures) == 2

    def test_in_our_words_the_line_end_stays(self, made: Made, tiny: Path):
        stage = stage_of(tiny)
        one = next(iter(read_examples(made.out / "train.parquet")))
        rollout = stage.rollout(one, Limits(turn=400, rollout=20_000))
        roll_out([rollout], Script(stage.tokens, [call(6500, 6600), ANSWER]), stage.pictures, 1)
        text = stage.tokens.tokenizer.decode(rollout.completion, skip_special_tokens=False)
        assert "<|im_end|>\n<|im_start|>user\n<tool_response>" in text

    def test_a_turn_without_a_call_ends_it(self, made: Made, tiny: Path, words: Wording):
        rollout, text = self.rolled(made, tiny, words, "<think>Hm.</think> I wonder.")
        assert rollout.is_over and text.endswith("I wonder.<|im_end|>")

    def test_eight_turns_in_all(self, made: Made, tiny: Path, words: Wording):
        rollout, text = self.rolled(made, tiny, words, *[call(6500, 6600)] * 8)
        assert rollout.is_over
        assert text.count("<tool_response>") == 7

    def test_a_call_without_a_range_shows_the_whole(self, made: Made, tiny: Path, words: Wording):
        bare = call(1, 2).replace('"wavelength_range": [1, 2]', "")
        rollout, text = self.rolled(made, tiny, words, bare, ANSWER)
        assert len(rollout.conversation.pictures) == 2
        assert "</tool_response>" in text

    def test_a_run_of_it(self, made: Made, tiny: Path, published: Card, tmp_path: Path):
        settings = GrpoSettings(
            questions=2, minibatch=2, rollouts=2, microbatch=2, rounds=1, turn_tokens=16,
            rollout_tokens=512, precision="fp32", save_every=1,
        )  # fmt: skip
        sets = [made.out / "train.parquet"]
        with pytest.raises(WorkbenchError, match="--wording ours"):
            reinforce(tiny, sets, tmp_path / "none", settings)
        model = reinforce(tiny, sets, tmp_path / "run", settings, wording=str(made.out / FOLDER))
        card, own = read_card(model), read_wording(made.out / FOLDER)
        assert (card.rules, card.wording) == ("published", "spec-o3")
        assert f"in the wording spec-o3 ({own.sha256})" in card.trained_on
        assert read_wording(wording_folder("spec-o3")).sha256 == own.sha256
        record = json.loads((tmp_path / "run" / "settings.json").read_text())
        assert record["wording"] == own.sha256


class TestSft:
    SETTINGS = SftSettings(steps=1, batch=1, precision="fp32", held_out=0.0, save_every=0)

    def test_a_conversation_is_trained_as_it_was_published(self, made: Made, tmp_path: Path):
        files = [made.out / "conversations.jsonl"]
        model = fine_tune(files, [], tmp_path / "run", self.SETTINGS, MINUTE_MODEL)
        text = (tmp_path / "run" / "mask.txt").read_text(encoding="utf-8")
        assert text.startswith(OPENING + "⟦")
        assert "<|im_end|>⟧<|im_start|>user\n<tool_response>\n<|vision_start|>" in text
        card, own = read_card(model), read_wording(made.out / FOLDER)
        assert (card.rules, card.wording, card.style) == ("published", "spec-o3", AS_PUBLISHED)
        assert own.sha256 in card.trained_on
        assert read_wording(wording_folder("spec-o3")).sha256 == own.sha256

    def test_or_in_our_words(self, made: Made, tmp_path: Path):
        files, run = [made.out / "conversations.jsonl"], tmp_path / "run"
        model = fine_tune(files, [], run, self.SETTINGS, MINUTE_MODEL, wording="ours")
        assert SYSTEM not in (tmp_path / "run" / "mask.txt").read_text(encoding="utf-8")
        assert (read_card(model).rules, read_card(model).wording) == ("ours", "")


class TestFinding:
    def test_by_name_or_folder(self, tmp_path: Path):
        write_wording(wording("clerk"), tmp_path / "here")
        assert find_wording(str(tmp_path / "here")).name == "clerk"
        with pytest.raises(WorkbenchError, match="no wording 'clerk'"):
            find_wording("clerk")
        install(wording("clerk"))
        install(wording("clerk"))  # it is there already
        assert find_wording("clerk") == wording("clerk")
        assert wording_to_train("ours", None) is None
        assert wording_to_train("", None) is None

    def test_another_of_this_name_is_not_replaced(self):
        install(wording("clerk"))
        other = replace(wording("clerk"), system="You are another clerk.")
        with pytest.raises(WorkbenchError, match="another wording is installed as clerk"):
            install(other)
