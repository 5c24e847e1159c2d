from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from agent.inspection.offered_looks import OfferedLook
from agent.tasks.catalogue import find_task
from tests.train.vision.conftest import SCHOOL, same_weights
from tests.train.vision.test_lessons import row
from train.questions.settings import QuestionSettings
from train.vision import train_text as speech
from train.vision.conversations import Question, blank, fixed_phrases, questions, turns
from train.vision.grades import Readings, is_absence, sure_readings
from train.vision.model import patch_rows
from train.vision.reasons import FAMILIES, KINDS_SAID, REASONS, fitting_kind
from train.vision.settings import SpeechSettings
from train.vision.train_text import Conversation, _logits, _write, new_model, trained_model
from train.vision.train_tower import new_eye

SPEECH = SpeechSettings(hidden_layers=2, ffn=96, heads=2, batch=2, held_out=2)


def ranks_of(asked: list[Question]) -> list[Readings]:
    rng = np.random.default_rng(1)
    sizes = [(len(one.pictures), 91) for one in asked]
    return [sure_readings(rng.uniform(-1, 1, size)) for size in sizes]


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
    texts = [turn.text for turn in turns(white, sure_readings(np.zeros((len(white.pictures), 91))))]
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


# What is said of a spectrum, and the reasons that are given for the verdict.
LOOKS = (
    OfferedLook((6400, 6800), "Hα and He I 6678"),
    OfferedLook((4550, 5050), "He II 4686, Hβ, [O III]"),
    OfferedLook((6250, 6600), "ZrO 6474 and Ba II 6497"),
)
CV = {
    "EW_H_alpha": -60.0, "H_alpha_em_fwhm": 1900.0, "EW_H_beta": -30.0, "H_beta_em_fwhm": 2000.0,
    "EW_HeII_4686": -9.0, "EW_HeI_6678": -6.0, "colour_4200_5400": 1.6, "colour_6600_7500": 1.2,
    "Dn4000": 1.0, "TiO5": 1.0,
}  # fmt: skip
S_STAR = {
    "TiO5": 0.6, "colour_4200_5400": 0.2, "colour_6600_7500": 0.4, "Dn4000": 2.0,
    "ZrO_6474_edge": 0.25, "ZrO_6345_edge": 0.2, "EW_BaII_6497": 1.2, "EW_HeI_6678": -3.0,
}  # fmt: skip


def read(**values: float) -> Readings:
    return sure_readings(np.tile(row(**values), (len(LOOKS) + 1, 1)))


def asked_of_conversations(task: str, label: str) -> Question:
    ranges = [(3600.0, 9200.0), *(look.range for look in LOOKS)]
    return Question(
        task=task, answer="YES" if task == label else "NO", label=label, looks=LOOKS,
        pictures=np.zeros((len(ranges), 0, 0), np.uint8), ranges=np.array(ranges, np.float64),
    )  # fmt: skip


def reasons(answer: str) -> list[str]:
    return answer.split(": ", 1)[1].removesuffix(".</answer>").split("; ")


@pytest.mark.parametrize(
    ("task", "label", "values"), [("CV", "CV", CV), ("WD", "CV", CV), ("SS", "SS", S_STAR)]
)
def test_reasons_were_said_before_and_are_no_list_of_absences(
    task: str, label: str, values: dict[str, float]
) -> None:
    *thoughts, answer = [
        turn.text
        for turn in turns(asked_of_conversations(task, label), read(**values))
        if turn.role == "assistant"
    ]
    given = reasons(answer)
    said = "; ".join([*thoughts, answer.split("</think>")[0]])
    assert 1 <= len(given) <= REASONS
    assert all(each in said for each in given)
    assert sum(map(is_absence, given)) <= 1
    assert sum(" to " in each for each in given) <= 1
    telling = ("Hα", "Hβ", "He II 4686") if label == "CV" else ("ZrO",)
    assert any(each.startswith(telling) for each in given)


def test_nothing_is_said_twice_and_no_helium_between_bands() -> None:
    texts = [turn.text for turn in turns(asked_of_conversations("SS", "SS"), read(**S_STAR))]
    thoughts = [text.split("</think>")[0] for text in texts if "<think>" in text]
    said = [part for text in thoughts for part in text.removeprefix("<think>").split("; ")]
    assert not any(part.startswith(("He I", "He II")) for part in said)
    assert sum("ZrO 6474" in part and "Look at" not in part for part in said) == 1


def test_the_answer_names_the_kind() -> None:
    found = turns(asked_of_conversations("WD", "CV"), read(**CV))[-1].text
    assert "\\boxed{NO} More like a cataclysmic variable: " in found
    assert find_task("WD").question in turns(asked_of_conversations("WD", "CV"), read(**CV))[1].text


def test_a_no_says_what_the_class_lacks() -> None:
    values = CV | {"EW_HeII_4686": 0.0, "EW_H_alpha": 8.0, "EW_H_beta": 8.0, "EW_HeI_6678": 0.0}
    given = reasons(turns(asked_of_conversations("CV", "A"), read(**values))[-1].text)
    assert any(
        each.startswith(("Hα in clear absorption", "Hβ in clear absorption")) for each in given
    )


def test_what_was_not_seen_is_no_reason_for_a_class_that_has_it() -> None:
    values = {"HeII_4542": 0.0, "colour_4200_5400": 1.9, "Dn4000": 0.95, "TiO5": 1.0}
    looks = (OfferedLook((4280, 4680), "He I 4471 and He II 4542"),) * 3
    ranges = np.array([(3600.0, 9200.0), *[(4280.0, 4680.0)] * 3])
    question = replace(asked_of_conversations("O", "O"), looks=looks, ranges=ranges)
    texts = [turn.text for turn in turns(question, read(**values))]
    assert "He II 4542 not seen" in "".join(texts)
    assert "He II 4542 not seen" not in texts[-1].split("</think>")[1]


def test_signs_of_a_member_need_no_colour_beside_them() -> None:
    given = reasons(turns(asked_of_conversations("CV", "CV"), read(**CV))[-1].text)
    assert not any(" to " in each or is_absence(each) for each in given)
    assert sum("emission" in each for each in given) >= 2


def test_a_kind_is_not_named_after_the_signs_of_another() -> None:
    task, giant = find_task("CV"), {"TiO5": 0.4, "TiO5_excess": 0.25, "CaH1": 1.0, "CaT": 9.0}
    signs = read(**giant, colour_4200_5400=0.2, Dn4000=1.9, NaI_8190=0.2)
    said = [{"TiO5": "TiO 7126 strong", "TiO5_excess": "CaH weak for its TiO"}, {"CaH1": "no CaH"}]
    assert fitting_kind("MG", task, said, signs) == "an M giant"
    assert fitting_kind("M_DWARF", task, said, signs) == "a cool star"
    assert fitting_kind("O", task, said, signs) == "another kind of object"
    assert fitting_kind("O", task, [{}, {}], signs) == "an O star"  # nothing is against it
    assert {*FAMILIES, "an O star", "another kind of object"} <= set(KINDS_SAID)
