import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors.torch import load_file

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import AutoModelForImageTextToText, AutoTokenizer

from agent.atomic_file import replace_folder
from agent.engines.families import read_folder
from agent.engines.hf.engine import TransformersEngine
from agent.errors import EngineError, WorkbenchError
from agent.models.registry import model_at
from agent.rendering.model_image import Sizing
from agent.rendering.render import COMPACT
from tests.small_models import (
    REPLIES,
    VOCABULARY,
    small_tokenizer,
    tiny_qwen25,  # noqa: F401
)
from train.models import model_folder, small_model
from train.models.checkpoints import begin, complete_checkpoints, last_checkpoint, step_of
from train.models.model_folder import load_trainable, starting_folder
from train.models.small_model import TINY, FamilyName, Shape, make_model, make_tokenizer

FAMILIES: tuple[FamilyName, ...] = ("qwen2.5-vl", "qwen3-vl")
OTHER = Shape(
    hidden=96, heads=2, kv_heads=1, layers=2, ffn=200, max_tokens=300, whole_every=2,
    vision_layers=2, vision_hidden=48, vision_ffn=96, vision_heads=2,
)  # fmt: skip


class TestTokenizer:
    def test_is_as_large_as_asked(self):
        assert len(small_tokenizer()) == VOCABULARY

    def test_learns_the_same_from_the_same(self):
        text = ["The flux rises to the blue. " * 50]
        one, two = (make_tokenizer(text, 400).get_vocab() for _ in range(2))
        assert one == two

    @pytest.mark.parametrize("text", [*REPLIES, "Å é 漢 \N{GRINNING FACE}", " \t\r\n\n x"])
    def test_reads_back_any_text(self, text):
        ids = small_tokenizer().encode(text)
        assert small_tokenizer().decode(ids) == text

    def test_verdicts_are_one_token_after_a_brace(self):
        assert small_tokenizer().tokenize(r"\boxed{YES}")[-3:] == ["{", "YES", "}"]
        assert small_tokenizer().tokenize(r"\boxed{NO}")[-3:] == ["{", "NO", "}"]

    def test_verdicts_need_not_be_in_the_texts(self):
        tokens = make_tokenizer(["aaaa bbbb " * 9], 280).tokenize("{YES} {NO}")
        assert {"YES", "NO"} <= set(tokens)

    def test_a_phrase_is_one_token_wherever_it_stands(self):
        phrases = ("; Hα ", "; Hα FWHM ", "TiO edge at 7056.4")
        tokenizer = make_tokenizer(["S/N 12; Hα 4; Hα FWHM 300 km/s " * 9], 320, phrases)
        text = "S/N 9; Hα FWHM 250 km/s; Hα -3; TiO edge at 7056.4, step"
        tokens = tokenizer.tokenize(text)
        found = [token for token in tokens if token in phrases]
        assert found == [phrases[1], phrases[0], phrases[2]]
        assert tokenizer.decode(tokenizer.encode(text)) == text

    def test_phrases_count_as_tokens(self):
        names = [f"name {number}" for number in range(60)]
        assert len(make_tokenizer(["abc " * 50], 340, names)) <= 340
        with pytest.raises(WorkbenchError, match="too small for all bytes"):
            make_tokenizer(["abc"], 320, names)

    def test_control_tokens_are_special_and_calls_are_not(self):
        added = small_tokenizer().added_tokens_decoder.values()
        special = {token.content for token in added if token.special}
        plain = {token.content for token in added if not token.special}
        assert special == set(small_model.CONTROL_TOKENS)
        assert plain == {"<tool_call>", "</tool_call>"}
        assert small_tokenizer().eos_token == "<|im_end|>"
        assert small_tokenizer().pad_token == "<|endoftext|>"

    def test_digits_stay_apart(self):
        assert small_tokenizer().tokenize("6562") == list("6562")

    def test_refuses_a_vocabulary_too_small_for_all_bytes(self):
        with pytest.raises(WorkbenchError, match="too small for all bytes"):
            make_tokenizer(["a"], 200)


class TestShape:
    @pytest.mark.parametrize(("change", "why"), [
        ({"vision_ffn": 64}, "vision_ffn equals"),
        ({"whole_every": 3}, "multiple of whole_every"),
        ({"whole_every": 0}, "1 or more"),
        ({"vision_hidden": 40}, "multiple of 4 wide"),
        ({"heads": 3}, "even multiple"),
        ({"kv_heads": 3}, "multiple of kv_heads"),
        ({"layers": 0}, "below 1"),
    ])  # fmt: skip
    def test_refuses_what_llama_cpp_misreads(self, change, why):
        with pytest.raises(WorkbenchError, match=why):
            replace(TINY, **change)


class TestModel:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_same_seed_same_weights(self, family):
        def weights(seed: int) -> torch.Tensor:
            model = make_model(family, small_tokenizer(), TINY, seed)
            return torch.cat([weight.flatten() for weight in model.parameters()])

        assert torch.equal(weights(1), weights(1))
        assert not torch.equal(weights(1), weights(2))

    def test_leaves_the_random_state_alone(self):
        torch.manual_seed(5)
        make_model("qwen3-vl", small_tokenizer(), TINY, 1)
        after = torch.rand(1)
        torch.manual_seed(5)
        assert torch.equal(after, torch.rand(1))

    def test_refuses_other_families(self):
        with pytest.raises(WorkbenchError, match=r"qwen2\.5-vl, qwen3-vl"):
            make_model("llama", small_tokenizer())

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("shape", [TINY, OTHER])
    def test_loads_as_it_was_saved(self, family, shape, tmp_path):
        tokenizer = small_tokenizer()
        model = make_model(family, tokenizer, shape, 1)
        template = "{{ messages }}"
        small_model.save_small_model(tmp_path, model, tokenizer, shape, chat_template=template)

        found = AutoModelForImageTextToText.from_pretrained(tmp_path, local_files_only=True)
        saved = model.state_dict()
        assert all(torch.equal(weight, saved[name]) for name, weight in found.state_dict().items())
        assert type(found) is type(model)
        assert found.generation_config.eos_token_id == tokenizer.convert_tokens_to_ids("<|im_end|>")
        assert found.lm_head.weight is found.get_input_embeddings().weight

        read = AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
        assert read.chat_template == template
        for text in (*REPLIES, "<|im_start|>user\nÅ<|im_end|>"):
            assert read.encode(text) == tokenizer.encode(text)
        named = json.loads((tmp_path / "tokenizer_config.json").read_text())
        assert named["tokenizer_class"] == "Qwen2Tokenizer"

        factor = 28 if family == "qwen2.5-vl" else 32
        assert read_folder(tmp_path).sizing == Sizing.of_tokens(factor, 8, shape.max_tokens)


@pytest.fixture
def start(tiny_qwen25: Path, tmp_path: Path) -> Path:  # noqa: F811
    """As of the hub: bfloat16, with a template of its own in the tokenizer's settings."""
    folder = Path(shutil.copytree(tiny_qwen25, tmp_path / "start"))
    template = {"chat_template": "{{ other }}"}
    changes = {"config.json": {"dtype": "bfloat16"}, "tokenizer_config.json": template}
    for name, change in changes.items():
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
    return folder


def test_a_folder_in_use(start: Path, tmp_path: Path):
    model = load_trainable(start)
    assert model.dtype is torch.float32
    part = tmp_path / "part"
    precision, sizing = model_folder.stored_precision(start), read_folder(start).sizing
    model_folder.save_weights(model, model.state_dict(), part, precision)
    card = model_folder.complete_folder(part, start, style=COMPACT, sizing=sizing, name="mine")
    replace_folder(part, tmp_path / "model")
    found = model_at(tmp_path / "model")
    assert found.is_ready and found.card == card == model_folder.card_beside(tmp_path / "model")
    assert (card.name, card.style) == ("mine", COMPACT)
    weights = load_file(tmp_path / "model/model.safetensors")
    assert {weight.dtype for weight in weights.values()} == {torch.bfloat16}
    settings = json.loads((tmp_path / "model/tokenizer_config.json").read_text())
    assert "chat_template" not in settings
    template = (tmp_path / "model/chat_template.jinja").read_text("utf-8")
    assert template == model_folder.CHAT_TEMPLATE
    TransformersEngine.load(tmp_path / "model", device="cpu", threads=1).close()


def test_weights_that_are_not_all_there(start: Path):
    from safetensors.torch import save_file

    weights = load_file(start / "model.safetensors")
    weights.pop(next(name for name in weights if "q_proj" in name))
    save_file(weights, start / "model.safetensors", {"format": "pt"})
    with pytest.raises(EngineError, match="lack"):
        load_trainable(start)


def test_where_to_start(start: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert starting_folder(str(start)) == start
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path))
    assert starting_folder("start") == start
    with pytest.raises(WorkbenchError, match="hf download No/Where"):
        starting_folder("No/Where")


# A run is resumed only with its own settings, from its newest complete checkpoint.
SETTINGS = {"sft": {"lr": 1e-3, "epochs": 2}, "seed": 3}


def checkpoint(out: Path, step: int, state: str | None = None) -> Path:
    folder = out / "checkpoints" / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    if state is None:
        state = json.dumps({"global_step": step})
    (folder / "trainer_state.json").write_text(state)
    return folder


class TestBegin:
    def test_a_run_begins_once(self, tmp_path: Path):
        begin(tmp_path / "run", SETTINGS, resume=False)
        with pytest.raises(WorkbenchError, match="already has a run"):
            begin(tmp_path / "run", SETTINGS, resume=False)
        begin(tmp_path / "run", SETTINGS, resume=True)

    def test_the_changed_setting_is_named(self, tmp_path: Path):
        begin(tmp_path, SETTINGS, resume=False)
        changed = {**SETTINGS, "sft": {"lr": 1e-3, "epochs": 4}}
        with pytest.raises(WorkbenchError, match=r"another sft\.epochs \(2, now 4\)"):
            begin(tmp_path, changed, resume=True)

    def test_damaged_settings(self, tmp_path: Path):
        (tmp_path / "settings.json").write_text("{")
        with pytest.raises(WorkbenchError, match="is damaged"):
            begin(tmp_path, SETTINGS, resume=True)


class TestCheckpoints:
    def test_the_newest_complete_one(self, tmp_path: Path):
        first, second = checkpoint(tmp_path, 9), checkpoint(tmp_path, 10)
        cut_off = checkpoint(tmp_path, 11, '{"global_st')
        assert complete_checkpoints(tmp_path) == [first, second]
        assert last_checkpoint(tmp_path) == second
        assert not cut_off.exists()
        assert step_of(second) == 10

    def test_none(self, tmp_path: Path):
        assert last_checkpoint(tmp_path) is None
        assert step_of(None) == 0
