from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from agent.errors import EngineError, WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.examples.examples import Example
from agent.hashing import text_hash
from agent.protocol.protocol import Turn, system_text, task_text
from agent.protocol.reply import is_well_formed, parse_reply
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_line, to_line
from tests.scripted_engine import ScriptedEngine
from tests.train.draft.spectra import LONG, SHORT, all_examples, drafted
from train.draft.author import Truth, is_supported, with_article, write_replies
from train.draft.facts import SIGNS, facts_of
from train.draft.settings import DraftSettings
from train.draft.teachers import Draft, HintedEngine, ModelTeacher, hint, open_teacher, rough_tokens
from train.meter import Meter, contains


@pytest.mark.parametrize("settings", [LONG, SHORT], ids=["long", "short"])
def test_drafts_are_whole_inspections_in_the_published_form(settings: DraftSettings) -> None:
    count = 0
    for example in all_examples():
        draft = drafted(example, settings)
        if draft.trajectory is None:
            assert draft.outcome in ("unsupported", "noisy")
            continue
        count += 1
        made = draft.trajectory
        assert made.well_formed and is_well_formed(made.replies)
        assert made.stopped_by == "answer" and made.verdict == example.answer
        assert 1 <= len(made.looks) <= 8
        assert made.style["name"] == settings.style
        assert not any(step.measured for step in made.looks)  # the words alone are trained
        assert from_line(to_line(made)) == made
        assert rough_tokens(made.replies) < 1500
    assert count >= 0.8 * len(all_examples())


def test_the_same_seed_gives_the_same_draft_and_another_seed_another() -> None:
    one = all_examples()[0]
    assert drafted(one) == drafted(one)
    told = {drafted(one, seed=seed).trajectory.replies for seed in range(8)}
    assert len(told) >= 7


def test_short_drafts_use_few_words_and_short_thoughts() -> None:
    words: set[str] = set()
    lengths = []
    for example in all_examples():
        made = drafted(example, SHORT).trajectory
        for reply in made.replies if made else ():
            parsed = parse_reply(reply)
            words |= set(re.findall(r"[^\W\d]+", f"{parsed.thought} {parsed.answer}"))
            lengths.append(len(parsed.thought.split()))
    assert len(words) < 200
    assert max(lengths) < 40 and np.mean(lengths) < 20


def test_noisy_spectra_and_long_drafts_are_left_out() -> None:
    one = all_examples()[0]
    assert drafted(one, DraftSettings(min_snr=500.0)).outcome == "noisy"
    assert drafted(one, DraftSettings(max_tokens=50)).outcome == "too long"


LOOK = (
    "<think>A closer look.</think>\n<tool_call>\n"
    '{"name": "spectral_visualization_tool", "arguments": {"wavelength_range": [6500, 6600]}}\n'
    "</tool_call>"
)


def answer(verdict: str, words: str = "because") -> str:
    return f"<think>Done.</think>\n<answer>\\boxed{{{verdict}}} {words}</answer>"


def by_model(*replies: str) -> tuple[Draft, ScriptedEngine, Example]:
    example = next(one for one in all_examples() if one.task == "CV" and one.answer == "YES")
    engine = ScriptedEngine(replies)
    return ModelTeacher(engine, ModelRef(name="big"), SHORT).draft(example, 0, 1), engine, example


def test_the_engine_reads_the_answer_and_the_record_does_not_hold_it() -> None:
    draft, engine, example = by_model(LOOK, answer("YES"))
    heard = engine.conversations[0].turns[1].text
    assert "The true answer is YES" in heard and "cataclysmic variable" in heard
    assert draft.outcome == "drafted" and draft.trajectory is not None
    plain = text_hash(system_text() + task_text(find_task(example.task)))
    assert draft.trajectory.prompt_sha256 == plain
    assert "true answer" not in repr(draft.trajectory)
    assert draft.trajectory.model.name == "big" and draft.trajectory.seconds == 0
    assert len(engine.conversations[0].pictures) == 2


def test_unusable_drafts_of_a_model_have_an_outcome() -> None:
    assert by_model(LOOK, answer("NO"))[0].outcome == "contrary"
    assert by_model(LOOK, answer("YES", "as the true answer says"))[0].outcome == "leaking"
    assert by_model("no tags", LOOK, "<answer>\\boxed{YES}")[0].outcome in ("ill-formed", "failed")
    assert by_model(LOOK)[0].outcome == "failed"


def test_an_unknown_model_is_an_error() -> None:
    unknown = pytest.raises(WorkbenchError, match="`measured` needs no model")
    with unknown, open_teacher("nowhere", SHORT):
        raise EngineError("never")


def test_only_the_first_user_turn_is_hinted() -> None:
    engine = ScriptedEngine(["unused"])
    conversation = HintedEngine(engine, hint(all_examples()[0])).open()
    conversation.append([Turn("system", "s"), Turn("user", "one"), Turn("user", "two")], [])
    conversation.append([Turn("user", "three")], [])
    texts = [turn.text for turn in engine.conversations[0].turns]
    assert ["Note to you alone" in text for text in texts] == [False, True, False, False]
    conversation.rewind(conversation.mark())
    conversation.close()
    assert engine.conversations[0].is_closed


def test_unsupported_answers_are_not_drafted() -> None:
    example = all_examples()[0]
    lie = replace(example, answer="NO" if example.answer == "YES" else "YES", label="")
    assert drafted(lie).outcome == "unsupported"
    meter = Meter.of(example.spectrum)
    assessment = assess_measurements(meter.numbers, find_task(example.task))
    assert is_supported(assessment, Truth(example.answer), 0.5)
    assert not is_supported(assessment, Truth(lie.answer), 0.5)


def test_a_wrong_kind_is_never_named() -> None:
    for example in all_examples():
        if example.answer == "YES":
            continue
        meter = Meter.of(example.spectrum)
        assessment = assess_measurements(meter.numbers, find_task(example.task))
        for seed in range(3):
            truth = Truth("NO", "GALAXY")  # whatever it resembles, the truth says otherwise
            rng = np.random.default_rng(seed)
            replies = write_replies(assessment, meter, truth, LONG, rng)
            if replies is not None and assessment.kinds.probabilities["GALAXY"] < 0.2:
                answer = parse_reply(replies[-1]).answer
                assert not re.search(r"looks like|spectrum is|rather|more like", answer)


def test_articles() -> None:
    said = ["an M giant", "an S-type star", "a white dwarf", "an A-type star"]
    assert [with_article(each.split(maxsplit=1)[1]) for each in said] == said


def test_every_fact_is_within_the_spectrum() -> None:
    example = all_examples()[0]
    meter = Meter.of(example.spectrum)
    for fact in facts_of(find_task(example.task), meter, "M_DWARF").all:
        assert fact.window is None or contains(meter.range, fact.window)


def test_every_sign_can_be_measured() -> None:
    meter = Meter.of(all_examples()[0].spectrum)
    features = [sign.feature for signs in SIGNS.values() for sign in signs]
    assert all(meter.strength(feature).reason != "no index has this name" for feature in features)
