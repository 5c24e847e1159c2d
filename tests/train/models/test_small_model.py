from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import AutoModelForImageTextToText, AutoTokenizer

from agent.engines.families import read_folder
from agent.errors import WorkbenchError
from agent.rendering.model_image import Sizing
from tests.small_models import REPLIES, VOCABULARY, small_tokenizer
from train.models import small_model
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
    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"vision_ffn": 64}, "vision_ffn equals"),
            ({"whole_every": 3}, "multiple of whole_every"),
            ({"whole_every": 0}, "1 or more"),
            ({"vision_hidden": 40}, "multiple of 4 wide"),
            ({"heads": 3}, "even multiple"),
            ({"kv_heads": 3}, "multiple of kv_heads"),
            ({"layers": 0}, "below 1"),
        ],
    )
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
