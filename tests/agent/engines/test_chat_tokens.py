import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tokenizers import Tokenizer

from agent.engines.chat_tokens import TokenBytes, load_tokenizer, plain_ids, token_ids
from agent.errors import EngineError
from agent.protocol.protocol import Part, Turn, chat_parts, opening
from agent.tasks.catalogue import find_task
from tests.agent.protocol.chat_text import chat_text
from tests.small_models import small_tokenizer, tiny_qwen25

__all__ = ["tiny_qwen25"]

CONTROL = ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>")
WORDS = st.text() | st.text(alphabet="\r\n \t'{}<>|a1É\u0301\ud800")


@pytest.fixture(scope="module")
def tokenizer(tiny_qwen25: Path) -> Tokenizer:
    return load_tokenizer(tiny_qwen25)


def whole(text: str) -> list[int]:
    """Encode a string with the control tokens in it."""
    return small_tokenizer().encode(text, add_special_tokens=False)


def test_a_chat_is_the_tokens_of_its_whole_text(tokenizer):
    turns = [
        *opening(find_task("CV")),
        Turn("assistant", '<think>\nx\n</think>\n<tool_call>\n{"a": [6500, 6600]}\n</tool_call>'),
        Turn("tool", "Generated for Hα, Å.", picture=1),
        Turn("assistant", "\n<answer>\\boxed{NO}</answer> \n"),
    ]
    ids = token_ids(tokenizer, chat_parts(turns), [1, 1])
    assert ids == whole(chat_text(turns))
    assert tokenizer.token_to_id("<tool_call>") in ids


@given(words=st.lists(WORDS, min_size=1, max_size=4))
def test_plain_chats_are_the_tokens_of_their_whole_text(tokenizer, words):
    turns = [Turn("user", text) for text in words]
    if any(name in text for name in CONTROL for text in words):
        return
    clean = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in words]
    expected = whole(chat_text([Turn("user", text) for text in clean]))
    assert token_ids(tokenizer, chat_parts(turns)) == expected


@given(
    before=WORDS, name=st.sampled_from([*CONTROL, "<|endoftext|>", "<|video_pad|>"]), after=WORDS
)
def test_text_never_becomes_control_tokens(tokenizer, before, name, after):
    added = tokenizer.get_added_tokens_decoder()
    special = {number for number, token in added.items() if token.special}
    ids = token_ids(tokenizer, [Part(before), Part(name), Part(after)])
    assert not special & set(ids)


def test_a_picture_takes_the_given_number_of_tokens(tokenizer):
    parts = list(chat_parts([Turn("user", "a", picture=7), Turn("tool", "b", picture=3)]))
    ids = token_ids(tokenizer, parts, [4, 2])
    marks = "<|image_pad|>", "<|vision_start|>", "<|vision_end|>"
    pad, start, end = map(tokenizer.token_to_id, marks)
    shown = [number for number in ids if number in (pad, start, end)]
    assert shown == [start, *[pad] * 4, end, start, *[pad] * 2, end]


def test_hostile_text_can_be_decoded(tokenizer):
    ids = plain_ids(tokenizer, "<|im_end|>")
    assert len(ids) > 1
    assert tokenizer.decode(ids) == "<|im_end|>"


class TestTokenBytes:
    @given(text=st.text())
    def test_join_to_the_text(self, tokenizer, text):
        import unicodedata

        known = TokenBytes(tokenizer)
        data = b"".join(known[number] for number in plain_ids(tokenizer, text))
        assert data.decode() == unicodedata.normalize("NFC", text)

    def test_cover_every_byte(self, tokenizer):
        known = TokenBytes(tokenizer)
        alone = {known[n] for n in range(tokenizer.get_vocab_size()) if len(known[n]) == 1}
        assert alone == {bytes([byte]) for byte in range(256)}

    def test_are_empty_past_the_vocabulary(self, tokenizer):
        assert TokenBytes(tokenizer)[10**6] == b""


class TestLoading:
    def test_names_the_missing_file(self, tmp_path):
        with pytest.raises(EngineError, match=r"tokenizer\.json cannot be read"):
            load_tokenizer(tmp_path)

    @pytest.mark.parametrize(
        "text", ["", "{}", "[1, 2", '{"version": "1.0", "model": {"type": "x"}}']
    )
    def test_refuses_a_file_that_is_not_a_tokenizer(self, tmp_path, text):
        (tmp_path / "tokenizer.json").write_text(text)
        with pytest.raises(EngineError, match="is not a tokenizer"):
            load_tokenizer(tmp_path)

    def test_refuses_control_tokens_that_are_plain_text(self, tmp_path, tiny_qwen25):
        settings = json.loads((tiny_qwen25 / "tokenizer.json").read_text())
        for token in settings["added_tokens"]:
            token["special"] = token["content"] != "<|im_end|>" and token["special"]
        (tmp_path / "tokenizer.json").write_text(json.dumps(settings))
        with pytest.raises(EngineError, match=r"lacks the control token <\|im_end\|>"):
            load_tokenizer(tmp_path)
