import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

import numpy as np

from agent.claims.claims import claims_of
from agent.errors import WorkbenchError
from agent.examples.examples import Example, write_examples
from agent.protocol.reply import Verdict, parse_reply
from agent.spectra.readers import read
from agent.tasks.catalogue import find_task, load_tasks
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.night import BY_NIGHT
from tests.train.draft.spectra import all_examples
from tests.train.evaluate.helpers import simulated
from tests.train.review.helpers import Pairs, audited
from tests.train.review.lies import LIES, planted, retold
from tests.train.review.planted_faults import planted_faults
from train.cli import app
from train.meter import Meter
from train.review.audit import (
    Audit,
    Checked,
    TurnContext,
    coherence_of,
    consistency_of,
    find_fault,
    is_same_window,
)
from train.review.live_check import check_live, marked_spans
from train.review.pool import export_in_processes, import_drafts
from train.review.programs import run_panel
from train.review.revision import Revision
from train.review.sentence_audit import (
    RULES,
    audit_records,
    check,
    inspections,
    records_of,
    take_apart,
)
from train.simulate.realism.library import Library

OPENING = (
    "The spectrum covers 3700 to 9000 Å with a median S/N of 20 per pixel. At first sight it looks "
    "like a cataclysmic variable, rather than a quasar: Hβ emission, EW -20.0 ± 0.5 Å; smooth "
    "continuum (bend 0.04). Measured in the whole spectrum: 4000 Å break 0.94: too hot for a "
    "carbon star. First I look at Hα and He I 6678, 6450 to 6750 Å. Hα 6564.6 in emission."
)
LOOK = (
    "Measured in Hα and He I 6678: Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV; "
    "no [S II] 6716 emission, EW 0.10 ± 0.20 Å. This speaks against the class. All in all I put "
    "the chance of YES below 1 per cent."
)
ANSWER = (
    "\\boxed{NO} Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV. It looks more like "
    "an M dwarf: TiO bands (TiO5 0.70). On the other side: no [S II] 6716 emission, EW 0.10 ± "
    "0.20 Å. Not testable here: He I 5876."
)


def made(
    opening: str = OPENING, look: str = LOOK, answer: str = ANSWER, task: str = "CV",
    verdict: Verdict = "NO", **measured: Any,
) -> Trajectory:  # fmt: skip
    """One look at Hα, whose table is `measured`."""
    steps = (
        Step(kind="think", turn=0, text=opening),
        Step(kind="zoom", turn=0, range=(6450, 6750), label="Hα", measured=measured),
        Step(kind="think", turn=1, text=look),
        Step(kind="answer", turn=1, text=answer, verdict=verdict),
    )
    spectrum = SpectrumRef(object_id="star", path="star.fits", row=0, sha256="a" * 64)
    return Trajectory(
        task=task, spectrum=spectrum, model=ModelRef(name="measured"), prompt_sha256="b" * 64,
        style={}, seed=0, stopped_by="answer", steps=steps, verdict=verdict, p_yes=0.001,
    )  # fmt: skip


def saying(claims: str, task: str = "CV", verdict: Verdict = "NO", **measured: Any) -> Trajectory:
    """A record whose look says these claims, and nothing else."""
    look = f"Measured in Hα and He I 6678: {claims}. This decides little."
    plain = "It covers 3700 to 9000 Å. First I look at Hα, 6450 to 6750 Å."
    return made(plain, look, f"\\boxed{{{verdict}}} ", task, verdict, **measured)


LEAST_CAUGHT = {"presence": 0.8, "feature": 0.8}
"""Doubtful features may be denied, and two features may share a number."""


def test_honest_drafts_are_approved_but_do_not_all_get_the_same(pairs: Pairs) -> None:
    found = [audited(*pair) for pair in pairs]
    assert [each.note for each in found if not each.approves] == []
    assert all(each.claims >= 5 and each.checked.reasons for each in found)
    assert {each.consistency for each in found} <= {4, 5}
    assert len({(each.coherence, each.consistency) for each in found}) > 1
    idle = [each for each in found if each.checked.used_looks < each.checked.looks]
    assert idle and all(each.coherence < each.flow for each in idle)


def test_planted_lies_are_caught(pairs: Pairs) -> None:
    planned: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for number, (trajectory, example) in enumerate(pairs[::3]):
        for name, lie in planted(trajectory, example, np.random.default_rng(number)):
            planned[name] += 1
            caught[name] += not audited(lie, example).approves
    assert set(planned) == {*LIES, "forged"}
    for name, count in planned.items():
        assert caught[name] >= LEAST_CAUGHT.get(name, 1.0) * count, (name, caught[name], count)


def test_a_lie_lowers_the_score_and_is_located(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    answer = trajectory.replies[-1].replace("</answer>", " Li I 6708 is absorbed, 4.2 Å.</answer>")
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], answer)), example)
    assert {fault.turn for fault in found.faults} == {len(trajectory.replies) - 1}
    assert found.consistency < 5 and "Li I" in found.note


def test_records_that_do_not_match_are_refused(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    same_task = [one for _, one in pairs if one.task == example.task]
    other = next(one for one in same_task if one.sha256 != example.sha256)
    untrue = replace(example, answer="NO" if example.answer == "YES" else "YES")
    cases = {
        "another spectrum": (trajectory, other),
        "another guideline": (replace(trajectory, prompt_sha256="0" * 64), example),
        "the truth": (trajectory, untrue),
        "differs from the one": (replace(trajectory, overview="0" * 64), example),
    }
    for why, (record, about) in cases.items():
        assert why in audited(record, about).note


def test_an_answer_needs_a_reason_and_different_looks(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    box = f"\\boxed{{{example.answer}}}"
    bare = f"<think>So.</think>\n<answer>{box} It is what it is.</answer>"
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], bare)), example)
    assert "no reason to check" in found.note
    twice = (trajectory.replies[0], *trajectory.replies)
    assert audited(retold(trajectory, example, twice), example).flow == 4


ALL = Checked(
    kinds=(("states", 9),), looks=3, used_looks=3, sentences=10, checked_sentences=9, reasons=4
)


def test_planted_faults_lower_the_score_by_what_they_spoil(pairs: Pairs) -> None:
    found = planted_faults(pairs[::2], 24)
    assert len({each.kind for each in found}) == 12
    caught = [each for each in found if not each.audit.approves]
    assert len(caught) >= 22
    assert all(each.audit.consistency < 5 for each in caught)
    scores = {(each.audit.coherence, each.audit.consistency) for each in found}
    assert len(scores) >= 5
    by_kind = {each.kind: each.audit for each in found}
    assert by_kind["verdict"].consistency == by_kind["forged"].consistency == 0
    assert by_kind["verdict"].coherence <= 1
    assert by_kind["unseen"].consistency <= 2  # it is said in the answer


def test_the_note_says_what_was_checked(pairs: Pairs) -> None:
    found = audited(*pairs[0])
    told = re.search(
        r"checked (.*), (?:\d of \d looks unused|\d looks used), (\d+) reasons", found.note
    )
    assert told is not None and int(told[2]) == found.checked.reasons
    numbers = [int(part.split()[0]) for part in told[1].split(", ")]
    assert sum(numbers) == found.claims
    assert re.search(r"\d+ of \d+ sentences hold nothing to check$", found.note)


@pytest.mark.parametrize(("wrong", "slips", "score"), [
    ((), True, 5),
    (((1, "a"),), True, 4),
    (((1, "a"),), False, 3),
    (((1, "a"), (2, "b")), True, 3),
    (((1, "a"), (2, "b"), (2, "c"), (0, "d"), (0, "e"), (0, "f")), True, 1),
    (((3, "a"),), True, 2),
    (((3, "a"), (3, "b")), True, 1),
    (((3, "a"), (3, "b"), (3, "c"), (3, "d")), True, 0),
])  # fmt: skip
def test_consistency(wrong, slips, score) -> None:
    assert consistency_of(wrong, 10, ALL, 3, are_slips=slips) == score


def test_what_cannot_be_checked_is_not_fully_consistent() -> None:
    phrases = Checked(kinds=(), looks=3, used_looks=3, sentences=10, checked_sentences=3, reasons=4)
    assert consistency_of((), 3, phrases, 3, are_slips=True) == 4


def test_coherence() -> None:
    assert coherence_of(5, ALL, contradicts_itself=False) == 5
    assert coherence_of(5, ALL, contradicts_itself=True) == 1
    idle = Checked(kinds=(), looks=3, used_looks=2, sentences=1, checked_sentences=1, reasons=1)
    assert coherence_of(5, idle, contradicts_itself=False) == 3
    assert coherence_of(0, idle, contradicts_itself=False) == 0


@pytest.fixture(scope="module")
def meter() -> Meter:
    return Meter.of(all_examples()[0].spectrum)


def fault(meter: Meter, text: str, *, is_shown: bool = True, guideline: str = "") -> str:
    shown = (meter.range,) if is_shown else ()
    context = TurnContext(meter, shown, shown, guideline, frozenset({"Hα (--) -60"}))
    (claim,) = claims_of(text)
    return find_fault(claim, context)


def test_claims_about_the_whole_spectrum(meter: Meter) -> None:
    low, high = meter.range
    assert not fault(meter, f"{low:.0f} to {high:.0f} Å is covered.", is_shown=False)
    assert not fault(meter, f"The data end at {high:.0f} Å.")
    assert "the data end at" in fault(meter, f"The data end at {high - 500:.0f} Å.")
    assert not fault(meter, f"The S/N is {meter.numbers.overall_snr:.0f}.")
    assert "the S/N is" in fault(meter, "The S/N is 2.")


def test_quotes_must_have_been_printed(meter: Meter) -> None:
    assert not fault(meter, "Hα (--) -60.")
    assert fault(meter, "Hα (--) -61.") == "the tool did not print this"


def test_a_feature_must_have_been_shown_unless_the_guideline_names_the_limit(meter: Meter) -> None:
    value = abs(meter.numbers.line_strength("H_alpha").number)
    assert not fault(meter, f"Hα has {value:.1f} Å.")
    assert "measured" in fault(meter, f"Hα has {3 * value + 5:.1f} Å.")
    assert "in no window" in fault(meter, f"Hα has {value:.1f} Å.", is_shown=False)
    limit = f"Hα is below {value + 50:.0f} Å."
    assert not fault(meter, limit, is_shown=False, guideline=limit)
    assert fault(meter, "The whole is 1430 km/s wide.") == "the number belongs to no feature"


def test_windows_are_the_same_apart_from_rounding() -> None:
    assert is_same_window((6450, 6750), (6460, 6740))
    assert not is_same_window((6450, 6750), (6450, 6800))


INVENTED = "Li I 6708 is absorbed, 4.2 Å."


def test_what_no_window_supports_is_found_in_its_turn_and_place(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    task = find_task(trajectory.task)
    before = check_live(trajectory, trajectory.replies, example, task)
    assert before.claims >= 5 and before.faults == ()
    revision = Revision.of(trajectory.replies)
    thought = f"{revision.turns[1].thought} {INVENTED}"
    check = check_live(trajectory, revision.with_texts(1, thought).replies, example, task)
    assert check.of_turn(1) == check.faults and check.faults
    spans = marked_spans(thought, check.faults)
    assert [thought[start:end] for start, end in spans] == [INVENTED]


def test_a_call_elsewhere_takes_the_support_away(pairs: Pairs) -> None:
    trajectory, example = next(
        (one, about) for one, about in pairs if len(one.looks) > 1 and not one.steps[0].error
    )
    revision = Revision.of(trajectory.replies)
    high = example.spectrum.range[1]
    for place, turn in enumerate(revision.turns):
        if turn.range is not None:
            revision = revision.with_look(place, round(high) - 20, round(high) - 5, turn.label)
    check = check_live(trajectory, revision.replies, example, find_task(trajectory.task))
    assert len(check.faults) > 1 and any("in no window" in each.reason for each in check.faults)


def test_spelling_does_not_hide_a_sentence() -> None:
    class Said:
        text = "Hα is absorbed"

    text = "H-alpha is absorbed; the rest is well."
    assert marked_spans(text, [Said()]) == [(0, 19)]
    assert marked_spans(text, []) == []


# Quoted drafts: each number is checked against the numbers that the tool printed.
NOT_PRINTED = "the tool did not print this"


def quotes_of(reply: str) -> list[str]:
    parsed = parse_reply(reply)
    said = (*claims_of(parsed.thought), *claims_of(parsed.answer))
    return [claim.quote for claim in said if claim.quantity == "quote"]


def test_a_line_a_width_and_an_index_are_quotes() -> None:
    text = "Hα (--) -60; Hα FWHM (++) 2200 km/s; TiO5 (=) 0.97. More like an A star: Hβ (+) 6.5."
    said = claims_of(text)
    assert [claim.quote for claim in said] == [
        "Hα (--) -60", "Hα FWHM (++) 2200 km/s", "TiO5 (=) 0.97", "Hβ (+) 6.5",
    ]  # fmt: skip
    assert said[-1].text == "More like an A star: Hβ (+) 6.5."


def test_correct_quotes_are_kept(quoted_drafts: Path, example_set: Path, tmp_path: Path) -> None:
    """Small models cannot learn what is removed here."""
    pool = import_drafts(tmp_path / "pool", [quoted_drafts], [example_set])[0]
    run_panel(pool)
    export_in_processes(pool, tmp_path / "approved.jsonl")
    drafts, approved = (
        {(one.task, one.spectrum.sha256): one.replies for one in read_trajectories(path)}
        for path in (quoted_drafts, tmp_path / "approved.jsonl")
    )
    assert sum(len(quotes_of(reply)) for replies in drafts.values() for reply in replies) > 50
    assert approved == drafts


def test_a_changed_number_mark_or_name_is_not_a_quote(quoted_pairs: Pairs) -> None:
    swaps = {"number": r"(-?\d)(?=[^\d]*$)", "mark": r"\(([-=+]+)\)", "name": r"^(\S+)"}
    tried = dict.fromkeys(swaps, 0)
    for trajectory, example in quoted_pairs:
        for turn, reply in enumerate(trajectory.replies):
            for quote in quotes_of(reply)[:1]:
                for what, pattern in swaps.items():
                    lie = re.sub(pattern, lambda found: _other(found.group()), quote, count=1)
                    assert lie != quote
                    replies = list(trajectory.replies)
                    replies[turn] = reply.replace(quote, lie, 1)
                    found = audited(retold(trajectory, example, tuple(replies)), example)
                    assert found.faults[0].turn == turn, (quote, lie)
                    assert not found.approves
                    tried[what] += 1
    assert min(tried.values()) > 20


def _other(text: str) -> str:
    if text.startswith("("):
        return "(+++)" if text != "(+++)" else "(---)"
    if text.lstrip("-").isdigit():
        return text[:-1] + str((int(text[-1]) + 1) % 10)
    return "Li"


def test_numbers_not_yet_shown_cannot_be_quoted(quoted_pairs: Pairs) -> None:
    early = 0
    for trajectory, example in quoted_pairs:
        later = [quote for reply in trajectory.replies[1:] for quote in quotes_of(reply)]
        later = [quote for quote in later if quote not in trajectory.overview_text]
        if later:
            first = trajectory.replies[0].replace("<think>", f"<think>{later[0]}. ", 1)
            told = retold(trajectory, example, (first, *trajectory.replies[1:]))
            assert NOT_PRINTED in audited(told, example).note
            early += 1
    assert early > 5


def test_the_overview_text_is_checked_against_the_tool(quoted_pairs: Pairs) -> None:
    trajectory, example = quoted_pairs[0]
    assert trajectory.overview_text
    other = replace(trajectory, overview_text=f"{trajectory.overview_text}; Hα (--) -60")
    assert "describes the whole spectrum differently" in audited(other, example).note


def test_a_kind_is_a_reason_where_the_kind_is_known(quoted_pairs: Pairs) -> None:
    trajectory, example = next(
        pair for pair in quoted_pairs
        if pair[1].answer == "NO" and "More like" in pair[0].replies[-1]
    )  # fmt: skip

    def told(reasons: str, about: Example = example) -> Audit:
        end = f"<think>Enough seen.</think>\n<answer>\\boxed{{{about.answer}}} {reasons}</answer>"
        return audited(retold(trajectory, about, (*trajectory.replies[:-1], end)), about)

    called = re.search(r"More like [^:.]+", trajectory.replies[-1])
    assert called is not None
    assert told(f"{called.group()}.").approves
    assert told("Nothing clear.").approves
    assert "no reason to check" in told("Enough is enough.").note


def test_finding_nothing_is_no_reason_for_yes(quoted_pairs: Pairs) -> None:
    trajectory, example = next(pair for pair in quoted_pairs if pair[1].answer == "YES")
    end = "<think>Enough seen.</think>\n<answer>\\boxed{YES} Nothing clear.</answer>"
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], end)), example)
    assert "no reason to check" in found.note


# The audit of whole folders and sets; what the measured inspector says passes it.
SAMPLE = Path(__file__).parents[3] / "resources" / "sample" / "spectra"


def test_what_is_said_of_simulated_spectra_of_every_class_is_right(tmp_path: Path):
    path = tmp_path / "asked.parquet"
    each = 8 if BY_NIGHT else 4
    asked = [one for task in load_tasks() for one in simulated(task.id, each, seed=17)]
    write_examples(path, asked)
    found = audit_records(records_of(path))
    assert found.records == 8 * each and found.statements > 60 * each
    assert not found.faults, found.markdown()


def test_what_is_said_of_labelled_spectra_is_right(labelled_spectra: Path):
    """Every other spectrum with one class by day, each with all of them by night."""
    tasks = load_tasks()
    for number, base in enumerate(Library(labelled_spectra).bases[:: 1 if BY_NIGHT else 2]):
        asked = [task.id for task in (tasks if BY_NIGHT else tasks[number % 8 :: 8])]
        found = audit_records(inspections(read(base.path), tuple(asked)))
        assert not found.faults, found.markdown()


class TestCommand:
    def test_records_of_a_session(self, tmp_path: Path):
        write_trajectories(tmp_path / "looks.jsonl", [saying("Hα emission, EW 0.61 ± 0.02 Å")])
        result = CliRunner().invoke(app, ["audit", str(tmp_path / "looks.jsonl")])
        assert result.exit_code == 1
        assert "1 records, 1 statements: 1 faults in 1 records" in result.stdout
        assert "| sign against its word | 1 |" in result.stdout
        assert "star.fits, CV: Hα emission, EW 0.61" in result.stdout

    def test_one_class_of_a_folder(self, tmp_path: Path):
        for path in [each for each in sorted(SAMPLE.rglob("*")) if each.is_file()][:4]:
            shutil.copy(path, tmp_path)  # one of them holds the redshifts of another
        result = CliRunner().invoke(app, ["audit", str(tmp_path), "--task", "CV"])
        assert result.exit_code == 0, result.output
        assert "3 records, " in result.stdout and " 0 faults in 0 records" in result.stdout

    def test_nothing_to_audit(self, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="no folder of spectra"):
            list(records_of(tmp_path / "missing"))


def faults(record) -> set[str]:
    return {fault.rule for fault in check(take_apart(record))}


HA = "Hα emission, EW -15.5 ± 0.5 Å"


RULE_WRONG_RIGHT = [
    ("sign against its word", "Hα emission, EW 0.61 ± 0.02 Å", HA),
    ("sign against its word",
     "no Hα absorption, EW 5.00 ± 0.20 Å", "no Hα absorption, EW 0.10 ± 0.20 Å"),
    ("there, and within the error", "Hα emission, EW -0.33 ± 0.24 Å", HA),
    ("one line, two states",
     "hint of Hα emission, EW -0.50 ± 0.20 Å; no Hα emission, EW -0.50 ± 0.20 Å",
     "no Hα emission, EW -0.20 ± 0.20 Å"),
    ("two numbers for one quantity", f"{HA}; Hα emission, EW -20.0 ± 0.5 Å: narrow", HA),
    ("width of 0 km/s", f"{HA}, FWHM 0 km/s", f"{HA}, FWHM 300 km/s"),
    ("forbidden line in absorption",
     "[S II] 6716 absorption, EW 0.77 ± 0.08 Å", "no [S II] 6716 emission, EW 0.77 ± 0.08 Å"),
    ("opposite statements",
     "TiO 4940 index 1.15: M type; no blue TiO (TiO 4940 ratio 1.15)",
     "TiO 4940 index 1.15: M type; TiO in the blue (TiO 4940 ratio 1.15)"),
    ("outside the windows opened", "He I 5876 emission, EW -3.63 ± 0.82 Å", HA),
    ("minus zero", "no C2 edge at 5637.1 (step -0.00)", "no C2 edge at 5637.1 (step 0.00)"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "wrong", "right"), RULE_WRONG_RIGHT)
def test_a_wrong_sentence_is_found_and_a_right_one_is_not(rule: str, wrong: str, right: str):
    assert rule in faults(saying(wrong))
    assert not faults(saying(right))


def test_tables_are_checked_too():
    line = {"name": "H_alpha", "kind": "emission", "ew": -15.5, "ew_error": 0.5}
    assert not faults(saying(HA, lines=[line]))
    assert "width of 0 km/s" in faults(saying(HA, lines=[line | {"fwhm_kms": 0.0}]))
    other = line | {"ew": -20.0}
    assert "two numbers for one quantity" in faults(saying(HA, lines=[line, other]))
    dip = {"name": "SII_6716", "kind": "absorption", "ew": 0.8, "ew_error": 0.1}
    assert "forbidden line in absorption" in faults(saying(HA, lines=[dip]))


def test_an_index_has_one_number_under_all_its_names():
    first, second = {"name": "TiO5", "value": 0.75}, {"name": "TiO5 index", "value": 0.75}
    assert not faults(saying(HA, task="MG", values=[first, second]))
    wrong = faults(saying(HA, task="MG", values=[first, second | {"value": 0.8}]))
    assert "two numbers for one quantity" in wrong


def test_a_giant_is_no_dwarf():
    answer = "\\boxed{YES} MgH edge at 5212.5 jumps by 0.20: a dwarf."
    look = "Measured in Hα: nothing. This decides little."
    assert "a giant called a dwarf" in faults(made(OPENING, look, answer, "MG", "YES"))
    assert "a giant called a dwarf" not in faults(made(answer=answer, task="MG"))


def test_absorption_words_for_a_star_in_emission():
    row = {"name": "H_alpha", "kind": "emission", "ew": -15.5, "ew_error": 0.5}
    wrong = faults(saying("weak Hγ core (HgF -6.9 Å)", lines=[row]))
    assert "absorption of an emission line" in wrong
    assert not faults(saying("weak Hγ core (HgF -6.9 Å)"))


def test_hot_lines_in_an_m_star():
    deep = [{"name": "TiO5", "value": 0.6}]
    said = "He I 6678 absorption, EW 5.37 ± 1.35 Å"
    assert "a band called a line" in faults(saying(said, values=deep))
    assert not faults(saying(said))


def test_the_last_thought_agrees_with_the_verdict():
    assert not faults(made())
    assert "thought against answer" in faults(made(verdict="YES"))


def test_every_rule_is_described():
    assert all(rule.__doc__ for rule in RULES.values())


def test_a_record_is_taken_apart_into_its_claims():
    found = take_apart(made(OPENING, LOOK, ANSWER)).statements
    assert [(one.place, one.look, one.text) for one in found] == [
        ("opening", -1, "Hβ emission, EW -20.0 ± 0.5 Å"),
        ("opening", -1, "smooth continuum (bend 0.04)"),
        ("opening", -1, "4000 Å break 0.94: too hot for a carbon star"),
        ("look", 0, "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV"),
        ("look", 0, "no [S II] 6716 emission, EW 0.10 ± 0.20 Å"),
        ("answer", -1, "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV"),
        ("answer", -1, "TiO bands (TiO5 0.70)"),
        ("answer", -1, "no [S II] 6716 emission, EW 0.10 ± 0.20 Å"),
    ]


def test_the_numbers_of_a_line_are_read():
    line = take_apart(made(OPENING, LOOK, ANSWER)).statements[3].line
    assert line is not None
    assert (line.name, line.state, line.doubt) == ("Hα", "emission", "")
    assert (line.ew, line.error, line.fwhm) == (-15.5, 0.5, 354.0)
    absent = take_apart(made(OPENING, LOOK, ANSWER)).statements[4].line
    assert absent is not None and (absent.name, absent.doubt) == ("[S II] 6716", "no")


def test_words_of_another_model_are_no_claims():
    found = take_apart(made("The lines are broad.", "A CV, I think.", "Broad Hα."))
    assert not found.statements[:-1]
