import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.errors import EngineError, WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.evidence.places import contains
from agent.examples.examples import Example, write_examples
from agent.hashing import text_hash
from agent.protocol.protocol import Turn, system_text, task_text
from agent.protocol.reply import is_well_formed, parse_reply
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_line, read_trajectories, to_line
from tests.scripted_engine import ScriptedEngine
from tests.train.draft.spectra import LONG, SHORT, all_examples, drafted
from tests.train.test_recipe import call
from train.draft.author import Truth, is_supported, with_article, write_replies
from train.draft.drafting import DraftRun, draft_all
from train.draft.facts import SIGNS, facts_of
from train.draft.settings import DraftSettings
from train.draft.teachers import (
    Draft,
    HintedEngine,
    MeasuredTeacher,
    ModelTeacher,
    hint,
    open_teacher,
    rough_tokens,
)
from train.meter import Meter

SEVEN = 7


def run_of(example_set: Path, out: Path, **changes: object) -> DraftRun:
    run = DraftRun(
        sets=(example_set,), out=out, teacher="measured", settings=SHORT, seed=4, limit=SEVEN
    )
    return replace(run, **changes)


@pytest.fixture(scope="module")
def whole(example_set: Path, tmp_path_factory: pytest.TempPathFactory) -> DraftRun:
    run = run_of(example_set, tmp_path_factory.mktemp("whole") / "whole.jsonl", limit=12)
    draft_all(run)
    return run


def test_lines_and_counts(example_set: Path, tmp_path: Path) -> None:
    seen: list[int] = []
    counts = draft_all(run_of(example_set, tmp_path / "a.jsonl"), advance=seen.append)
    lines = list(read_trajectories(tmp_path / "a.jsonl"))
    assert sum(counts.values()) == SEVEN == sum(seen)
    assert counts["drafted"] == len(lines)
    note = json.loads((tmp_path / "a.json").read_text())
    assert note["done"] == SEVEN and note["counts"] == dict(counts)


@pytest.mark.usefixtures("forked_workers")
def test_workers_do_not_change_a_byte(whole: DraftRun, tmp_path: Path) -> None:
    two = replace(whole, out=tmp_path / "two.jsonl")
    draft_all(two, workers=2)
    assert two.out.read_bytes() == whole.out.read_bytes()


class Stopping:
    """A teacher that is killed at its n-th draft."""

    def __init__(self, last: int) -> None:
        self.left = last
        self.measured = MeasuredTeacher(SHORT)

    def draft(self, example: Example, variant: int, seed: int) -> Draft:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.measured.draft(example, variant, seed)


def test_a_killed_run_resumes_to_the_same_bytes(whole: DraftRun, tmp_path: Path) -> None:
    broken = replace(whole, out=tmp_path / "broken.jsonl")
    with pytest.raises(KeyboardInterrupt):
        draft_all(broken, teacher=Stopping(10))
    with broken.out.open("ab") as file:
        file.write(b'{"half a line')
    assert draft_all(broken) == draft_all(whole)
    assert broken.out.read_bytes() == whole.out.read_bytes()


def test_other_settings_or_another_file_are_refused(example_set: Path, tmp_path: Path) -> None:
    run = run_of(example_set, tmp_path / "a.jsonl", limit=2)
    draft_all(run)
    with pytest.raises(WorkbenchError, match="started with other settings"):
        draft_all(replace(run, seed=5))
    (tmp_path / "mine.jsonl").write_text("precious\n")
    with pytest.raises(WorkbenchError, match="already exists"):
        draft_all(replace(run, out=tmp_path / "mine.jsonl"))
    assert (tmp_path / "mine.jsonl").read_text() == "precious\n"
    (tmp_path / "a.json").write_text('{"done": -1}')
    with pytest.raises(WorkbenchError, match="not the progress"):
        draft_all(run)
    with pytest.raises(WorkbenchError, match=r"must end in \.jsonl"):
        draft_all(replace(run, out=tmp_path / "a.txt"))


def test_several_drafts_of_one_spectrum_differ(example_set: Path, tmp_path: Path) -> None:
    several = replace(SHORT, per_spectrum=3)
    run = run_of(example_set, tmp_path / "a.jsonl", settings=several, limit=2)
    draft_all(run)
    lines = list(read_trajectories(run.out))
    assert len(lines) == len({line.replies for line in lines}) >= 4
    assert len({line.spectrum.sha256 for line in lines}) <= 2


def test_one_spectrum_under_two_tasks_has_two_drafts(tmp_path: Path) -> None:
    one = next(each for each in all_examples() if each.task == "MG" and each.answer == "YES")
    other = replace(one, key="twin", task="SS", answer="NO")
    write_examples(tmp_path / "two.parquet", [one, other])
    run = run_of(tmp_path / "two.parquet", tmp_path / "a.jsonl", limit=None)
    draft_all(run)
    assert {line.task for line in read_trajectories(run.out)} <= {"MG", "SS"}
    assert sum(json.loads((tmp_path / "a.json").read_text())["counts"].values()) == 2


def test_draft(example_set: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    out = tmp_path / "drafts.jsonl"
    words = ["draft", str(example_set), str(out), "--limit", "3", "--preset", "tiny"]
    assert call(monkeypatch, *words, "--set", "per_spectrum=1") == 0
    assert "drafts in" in capsys.readouterr().out
    assert all(line.style["name"] == "compact" for line in read_trajectories(out))
    assert call(monkeypatch, *words, "--set", "per_spectrum=2") == 1
    assert "other settings" in capsys.readouterr().err


def test_errors_are_one_line(tmp_path: Path, monkeypatch, capsys) -> None:
    absent = ["draft", str(tmp_path / "no.parquet"), str(tmp_path / "a.jsonl")]
    assert call(monkeypatch, *absent) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert call(monkeypatch, *absent, "--set", "wrods=short") == 1
    assert 'did you mean "words"' in capsys.readouterr().err


def test_wrong_turns_are_corrected() -> None:
    wanted = DraftSettings(outside=1.0, wide=1.0, guess=1.0)
    refused = narrowed = dropped = 0
    for example in all_examples():
        made = drafted(example, wanted).trajectory
        if made is None:
            continue
        text = " ".join(made.replies)
        errors = [step for step in made.steps if step.error]
        refused += bool(errors)
        assert all("does not overlap the data" in step.error for step in errors)
        assert made.steps[-1].kind == "answer" and made.well_formed
        narrowed += bool(re.search(r"too wide|Too wide|closer look", text))
        dropped += bool(re.search(r"That is not|I drop|after all", text))
    assert refused > 10 and narrowed > 10 and dropped > 5


def test_no_wrong_turns_where_none_are_wanted() -> None:
    plain = DraftSettings(outside=0.0, wide=0.0, guess=0.0)
    for example in all_examples()[::3]:
        made = drafted(example, plain).trajectory
        if made is not None:
            assert not any(step.error for step in made.steps)
            assert not re.search(r"could be|may be|perhaps|Too wide", " ".join(made.replies))


@pytest.mark.parametrize("wrong", [
    {"fewest_zooms": 4, "most_zooms": 2},
    {"min_chance": 1.5},
    {"guess": -1.0},
    {"per_spectrum": 0},
])  # fmt: skip
def test_settings_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(WorkbenchError):
        DraftSettings(**wrong)


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
        assert fact.window is None or contains(meter.range, fact.window, 0.0)


def test_every_sign_can_be_measured() -> None:
    meter = Meter.of(all_examples()[0].spectrum)
    features = [sign.feature for signs in SIGNS.values() for sign in signs]
    assert all(meter.strength(feature).reason != "no index has this name" for feature in features)
