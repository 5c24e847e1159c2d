from __future__ import annotations

from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from tests.train.vision.conftest import SCHOOL, same_weights
from train.questions.settings import QuestionSettings
from train.vision import train_text as speech
from train.vision.conversations import Question, blank, fixed_phrases, questions, turns
from train.vision.grades import Readings
from train.vision.model import patch_rows
from train.vision.settings import SpeechSettings
from train.vision.train_text import Conversation, _logits, _write, new_model, trained_model
from train.vision.train_tower import new_eye

SPEECH = SpeechSettings(hidden_layers=2, ffn=96, heads=2, batch=2, held_out=2)


def ranks_of(asked: list[Question]) -> list[Readings]:
    rng = np.random.default_rng(1)
    sizes = [(len(one.pictures), 91) for one in asked]
    return [Readings(rng.uniform(-1, 1, size), np.full(size, 0.1)) for size in sizes]


def grid_of(asked: list[Question]) -> tuple[int, int]:
    _, height, width = asked[0].pictures.shape
    return height // 14, width // 14


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    settings = QuestionSettings(snr=(30.0, 60.0))
    found = (one for number in count() for one in questions(number, settings, 7, ""))
    return list(islice(found, 3))


def test_the_language_model_gets_what_the_whole_model_would(
    asked: list[Question], tmp_path: Path
) -> None:
    eye = new_eye(SCHOOL).eval()
    model = new_model(eye, SPEECH, SCHOOL, tmp_path, 3)
    tokenizer = tmp_path / "tokenizer.json"
    written = _write(tokenizer, asked, ranks_of(asked), grid_of(asked), [False] * len(asked))
    with torch.no_grad():
        seen = [eye.tokens(torch.from_numpy(one.pictures)).flatten(0, 1) for one in asked]
        chosen = [
            Conversation(task, ids, parts, places, tokens)
            for (task, ids, parts, places), tokens in zip(written, seen, strict=True)
        ]
        language, cpu = model.model.language_model, torch.device("cpu")
        logits, labels, parts = _logits(model, language, chosen, cpu)
        whole = []
        for one, each in zip(asked, chosen, strict=True):
            rows, (down, across) = patch_rows(torch.from_numpy(one.pictures))
            out = model(
                input_ids=torch.from_numpy(each.ids.astype(np.int64))[None],
                position_ids=torch.from_numpy(each.positions)[:, None],
                pixel_values=rows,
                image_grid_thw=torch.tensor([[1, down, across]] * len(one.pictures)),
            )
            whole.append(out.logits[0, np.flatnonzero(each.parts[1:] > 0)])
    assert torch.allclose(logits, torch.cat(whole), atol=1e-4)
    trained = [each.ids[each.parts > 0] for each in chosen]
    assert labels.tolist() == np.concatenate(trained).tolist()
    text = Tokenizer.from_file(str(tokenizer)).decode(labels.tolist(), skip_special_tokens=False)
    assert text.count("\\boxed{") == len(asked)
    assert set(parts.tolist()) >= {1, 2, 3, 4}


def test_of_wrong_thoughts_only_the_reasons_are_learnt(
    asked: list[Question], tmp_path: Path
) -> None:
    new_model(new_eye(SCHOOL), SPEECH, SCHOOL, tmp_path, 3)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    ranks = ranks_of(asked)
    told = _write(tmp_path / "tokenizer.json", asked, ranks, grid_of(asked), [True] * len(asked))
    for one, read, (_, ids, parts, _) in zip(asked, ranks, told, strict=True):
        answer = turns(one, read)[-1].text
        learnt = tokenizer.decode(ids[parts > 0].tolist(), skip_special_tokens=False)
        assert learnt.startswith((": ", "."))
        assert learnt.split("</answer>")[0] in answer


def test_white_paper_has_nothing_to_tell(asked: list[Question]) -> None:
    white = blank(asked[0])
    assert white.pictures.min() == 255
    texts = [turn.text for turn in turns(white, Readings(*np.zeros((2, len(white.pictures), 91))))]
    assert sum("Nothing clear." in text for text in texts) == len(white.pictures)
    assert white.answer in texts[-1]


def test_a_trained_model_learns_phrases_that_are_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eye, start = new_eye(SCHOOL), tmp_path / "trained"
    phrases = fixed_phrases()
    monkeypatch.setattr(speech, "fixed_phrases", lambda: phrases[1:])
    trained = new_model(eye, SPEECH, SCHOOL, start, 3)
    same = trained_model(start, eye, SPEECH, SCHOOL, tmp_path / "same", 4)
    assert same_weights(trained, same)
    monkeypatch.undo()
    again = trained_model(start, eye, SPEECH, SCHOOL, tmp_path / "again", 5)
    folders = start, tmp_path / "again"
    old, new = (Tokenizer.from_file(str(each / "tokenizer.json")) for each in folders)
    assert old.token_to_id(phrases[0]) is None and new.token_to_id(phrases[0]) is not None
    for text in (phrases[1], phrases[-1], "<|im_end|>", "YES"):
        before = trained.get_input_embeddings().weight[old.token_to_id(text)]
        assert torch.equal(again.get_input_embeddings().weight[new.token_to_id(text)], before)
    assert same_weights(trained.model.language_model.layers, again.model.language_model.layers)
