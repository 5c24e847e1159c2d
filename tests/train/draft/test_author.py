from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.evidence.kinds import builtin_kinds
from agent.evidence.measurements import measurements_of
from agent.evidence.window_numbers import overview_entries, window_entries
from agent.evidence.words import kind_name
from agent.inspection.pictures import redraw
from agent.protocol.reply import is_well_formed, parse_reply
from agent.spectra.spectrum import frame_z
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import from_line, to_line
from tests.train.draft.spectra import all_examples
from train.draft.author import Truth, is_supported, write
from train.draft.facts import facts_of
from train.draft.features import Feature
from train.draft.meter import Meter, holds
from train.draft.settings import DraftSettings
from train.draft.signs import SIGNS
from train.draft.teachers import MeasuredTeacher, rough_tokens
from train.draft.wording import with_article
from train.examples import Example

LONG, SHORT = DraftSettings(), DraftSettings(words="short", style="compact")


def drafted(example: Example, settings: DraftSettings = LONG, seed: int = 0):
    return MeasuredTeacher(settings).draft(example, 0, seed)


@pytest.mark.parametrize("settings", [LONG, SHORT], ids=["long", "short"])
def test_drafts_are_whole_inspections_in_the_published_form(settings: DraftSettings) -> None:
    count = 0
    for example in all_examples():
        draft = drafted(example, settings)
        if draft.trajectory is None:
            assert draft.why in ("unsupported", "noisy")
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


def test_short_words_are_few_and_their_thoughts_are_short() -> None:
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


def test_the_same_seed_writes_the_same_and_another_something_else() -> None:
    one = all_examples()[0]
    assert drafted(one) == drafted(one)
    told = {drafted(one, seed=seed).trajectory.replies for seed in range(8)}
    assert len(told) >= 7


def test_wrong_turns_come_and_are_corrected() -> None:
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


def test_pictures_are_drawn_where_wanted() -> None:
    example = all_examples()[0]
    made = drafted(example, replace(SHORT, draw=True, most_zooms=2)).trajectory
    assert made is not None and made.overview and all(step.picture for step in made.looks)
    assert len(redraw(made, example.spectrum)) == 1 + len(made.looks)
    assert drafted(example, replace(SHORT, most_zooms=2)).trajectory.replies == made.replies


def test_a_teacher_who_would_have_to_lie_does_not_write() -> None:
    example = all_examples()[0]
    lie = replace(example, answer="NO" if example.answer == "YES" else "YES", label="")
    assert drafted(lie).why == "unsupported"
    meter = Meter.of(example.spectrum)
    assessment = assess_measurements(meter.numbers, find_task(example.task))
    assert is_supported(assessment, Truth(example.answer), 0.5)
    assert not is_supported(assessment, Truth(lie.answer), 0.5)


def test_noisy_spectra_are_left_out() -> None:
    assert drafted(all_examples()[0], DraftSettings(min_snr=500.0)).why == "noisy"


def test_long_drafts_are_left_out() -> None:
    assert drafted(all_examples()[0], DraftSettings(max_tokens=50)).why == "too long"


def test_a_kind_that_the_object_is_not_is_never_said() -> None:
    for example in all_examples():
        if example.answer == "YES":
            continue
        meter = Meter.of(example.spectrum)
        assessment = assess_measurements(meter.numbers, find_task(example.task))
        for seed in range(3):
            truth = Truth("NO", "GALAXY")  # whatever it resembles, the truth says otherwise
            rng = np.random.default_rng(seed)
            replies = write(assessment, meter, truth, LONG, rng)
            if replies is not None and assessment.kinds.probabilities["GALAXY"] < 0.2:
                answer = parse_reply(replies[-1]).answer
                assert not re.search(r"looks like|spectrum is|rather|more like", answer)


def test_every_fact_lies_in_its_place_and_every_sign_can_be_measured() -> None:
    example = all_examples()[0]
    meter = Meter.of(example.spectrum)
    for fact in facts_of(find_task(example.task), meter, "M_DWARF").all:
        assert fact.place is None or holds(meter.range, fact.place)
    features = [sign.feature for signs in SIGNS.values() for sign in signs]
    assert all(meter.strength(feature).reason != "no index has this name" for feature in features)


@pytest.mark.parametrize(
    ("feature", "name"),
    [
        (Feature("H_alpha", is_line=True), "Hα"),
        (Feature("ZrO_6474_edge"), "ZrO edge at 6475.5"),
        (Feature("Dn4000"), "4000 Å break"),
        (Feature("H_gamma_D2"), "Hγ width at half depth"),
        (Feature("TiO5"), "TiO5"),
    ],
)
def test_names(feature: Feature, name: str) -> None:
    assert feature.name == name


def test_units_of_sums_and_edges_without_an_index() -> None:
    assert Feature("CaT").unit == "Å"
    assert Feature("CN_4216_edge").index.head is not None


def test_articles() -> None:
    assert with_article("M giant") == "an M giant"
    assert with_article("S-type star") == "an S-type star"
    assert with_article("white dwarf") == "a white dwarf"
    assert with_article("A-type star") == "an A-type star"


def test_quoted_drafts_say_numbers_as_the_tool_did() -> None:
    quoted = DraftSettings(words="quoted", style="nano", min_snr=5)
    count = 0
    for example in all_examples():
        made = drafted(example, quoted).trajectory
        if made is None:
            continue
        heard: set[str] = set()
        for step in made.steps:
            if step.kind == "zoom":
                heard |= {*step.text.split("; ")}
            said = re.findall(r"[^.:;{}]+ \([-=+]+\) -?[\d.]*\d(?: km/s)?", step.text)
            if step.kind != "zoom":
                assert {text.strip() for text in said} <= heard, step.text
                count += len(said)
    assert count > 10


def test_quoted_numbers_are_told_whatever_the_truth_is() -> None:
    """Left out where the guideline has nothing for the truth, a reader would never hear of it."""
    quoted = DraftSettings(words="quoted", style="nano", min_snr=5, min_chance=0.0)
    for example in all_examples():
        for answer in ("YES", "NO"):
            made = drafted(replace(example, answer=answer, label=""), quoted).trajectory
            assert made is not None and made.well_formed and made.verdict == answer
            assert made.looks and re.search(r"\w", made.steps[-1].text.partition("}")[2])


def test_leanings_come_from_what_the_tool_told_so_far() -> None:
    """The same numbers again, whatever the question and the truth: the same leaning."""
    quoted = DraftSettings(words="quoted", style="nano", min_snr=5)
    named, unclear = set(), 0
    for example in all_examples():
        made = drafted(example, quoted).trajectory
        if made is None:
            continue
        numbers = measurements_of(example.spectrum)
        scores, seen = builtin_kinds().intercepts, set[str]()
        judged = builtin_kinds().judge(numbers)
        for number, step in enumerate(made.steps[:-1], -1):
            if number >= 0:
                step = made.steps[number]
                if step.kind != "zoom" or step.error or step.range is None:
                    continue
                fresh = (
                    window_entries(numbers, *step.range, frame_z(example.spectrum)).keys() - seen
                )
            else:
                fresh = overview_entries(numbers).keys() - seen
            seen |= fresh
            for gate in fresh & set(judged.gates):
                scores = scores + judged.parts[judged.gates.index(gate)]
            best = int(np.argmax(scores))
            said = re.search(r"Like (.+?)\.", made.steps[number + 1].text)
            if said:
                assert said[1] == kind_name(judged.labels[best])
                named.add(said[1])
            unclear += "Unclear." in made.steps[number + 1].text
    assert len(named) > 3 and unclear


def test_windows_without_data_are_asked_for_and_given_up() -> None:
    """As by somebody who cannot read the ends of the axis: never among those of longer words."""
    quoted = DraftSettings(words="quoted", style="nano", min_snr=5, outside=0.0, unseen=0.5)
    asked = 0
    for example in all_examples():
        whole = example.spectrum
        low = whole.wavelength < 7000
        short = replace(
            whole,
            wavelength=whole.wavelength[low],
            flux=whole.flux[low],
            ivar=whole.ivar[low],
            mask=None if whole.mask is None else whole.mask[low],
        )
        for seed in range(3):
            made = drafted(replace(example, spectrum=short), quoted, seed).trajectory
            for number, step in enumerate(made.steps if made else ()):
                if step.kind == "zoom" and step.error:
                    asked += 1
                    assert step.range is not None and step.range[0] > short.wavelength[-1]
                    assert made.steps[number + 1].text.startswith("No data there.")
        plain = drafted(replace(example, spectrum=short), replace(SHORT, outside=0.0)).trajectory
        assert not any(step.error for step in (plain.steps if plain else ()))
    assert asked > 3


def test_quoting_needs_numbers_beside_the_pictures() -> None:
    with pytest.raises(WorkbenchError, match="style with numbers"):
        DraftSettings(words="quoted", style="compact")
