from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.curate.process import Case
from train.curate.reviews import (
    Review,
    Role,
    add_reviews,
    diff_of,
    read_reviews,
    review_from,
    version_of,
)


def case(*replies: str) -> Case:
    trajectory = Trajectory(
        task="CV",
        spectrum=SpectrumRef(sha256="s"),
        model=ModelRef(name="m"),
        replies=replies or ("one", "two"),
        stopped_by="answer",
    )
    return Case("c1", trajectory)


def review(about: Case, by: str, role: Role, approve: bool = True, **more: object) -> Review:
    return Review(
        trajectory=about.id, role=role, by=by, approve=approve, version=about.version, **more
    )


def through(about: Case, *steps: tuple[str, Role]) -> Case:
    for by, role in steps:
        about.add(review(about, by, role))
    return about


PANEL: tuple[tuple[str, Role], ...] = (
    ("Ada", "screener"), ("Ben", "reviser"), ("Cy", "auditor"), ("Di", "auditor"),
)  # fmt: skip


def test_the_whole_way() -> None:
    one = case()
    stages = [one.stage]
    for by, role in (*PANEL, ("Ben", "voter"), ("Cy", "voter"), ("Di", "voter")):
        one.add(review(one, by, role))
        stages.append(one.stage)
    expected = ["screener", "reviser", "auditor", "auditor", "voter", "voter", "voter", "approved"]
    assert stages == expected


@pytest.mark.parametrize("place", range(4))
def test_one_refusal_before_the_vote_ends_it(place: int) -> None:
    one = through(case(), *PANEL[:place])
    one.add(review(one, *PANEL[place], approve=False))
    assert one.stage == "rejected"


def test_the_vote_goes_by_two_of_three() -> None:
    for against, stage in ((1, "approved"), (2, "rejected")):
        one = through(case(), *PANEL)
        for number, by in enumerate(("Ben", "Cy", "Di")):
            one.add(review(one, by, "voter", approve=number >= against))
        assert one.stage == stage


@pytest.mark.parametrize(
    ("done", "by", "role", "why"),
    [
        (0, "Ada", "auditor", "waits for the screener"),
        (1, "Ada", "reviser", "nobody holds two roles"),
        (2, "Ben", "auditor", "nobody holds two roles"),
        (3, "Cy", "auditor", "nobody holds two roles"),
        (4, "Ada", "voter", "only those three vote"),
    ],
)
def test_nobody_holds_two_roles(done: int, by: str, role: Role, why: str) -> None:
    one = through(case(), *PANEL[:done])
    with pytest.raises(WorkbenchError, match=why):
        one.add(review(one, by, role))


def test_nobody_votes_twice_and_what_is_closed_stays_closed() -> None:
    one = through(case(), *PANEL, ("Ben", "voter"))
    with pytest.raises(WorkbenchError, match="has voted"):
        one.add(review(one, "Ben", "voter"))
    through(one, ("Cy", "voter"), ("Di", "voter"))
    with pytest.raises(WorkbenchError, match="approved already"):
        one.add(review(one, "Eve", "auditor"))


def test_what_was_said_of_other_words_does_not_count() -> None:
    one = through(case(), PANEL[0])
    old = one.version
    one.add(review(one, "Ben", "reviser", replies=("new", "two")))
    assert one.replies == ("new", "two") and one.version != old
    stale = Review(trajectory="c1", role="auditor", by="Cy", approve=True, version=old)
    with pytest.raises(WorkbenchError, match="was revised since"):
        one.add(stale)
    changed = review(one, "Cy", "auditor", replies=("x",))
    with pytest.raises(WorkbenchError, match="only the reviser"):
        one.add(changed)


def test_reviews_against_the_rules_in_a_file_are_void() -> None:
    one = case()
    given = [
        review(one, "Ada", "screener"),
        review(one, "Ada", "reviser"),
        review(one, "Ben", "reviser"),
    ]
    one.take(given)
    assert one.stage == "auditor" and len(one.void) == 1 and len(one.reviews) == 2


def test_reviews_are_kept_as_they_were_given(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    one = case()
    given = [
        review(one, "Ада", "screener", at="2026-01-01T00:00:00+00:00"),
        review(
            one, "B", "reviser", coherence=4, consistency=5, note="ok", replies=("a",), diff="d"
        ),
    ]
    add_reviews(path, given[:1])
    add_reviews(path, given[1:])
    assert list(read_reviews(path)) == given
    assert list(read_reviews(tmp_path / "absent")) == []


def test_a_line_cut_off_by_a_crash_is_left_out_and_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    first, second = review(case(), "A", "screener"), review(case(), "B", "screener")
    add_reviews(path, [first])
    with path.open("a") as file:
        file.write('{"trajectory": "c1", "ro')
    assert list(read_reviews(path)) == [first]
    add_reviews(path, [second])
    assert list(read_reviews(path)) == [first, second]


GOOD = {"trajectory": "c", "role": "auditor", "by": "A", "approve": True, "version": "v"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"role": "king"}, "role should be one of"),
        ({"approve": 1}, "true or false"),
        ({"coherence": 6}, "0 to 5"),
        ({"consistency": 2.5}, "whole number"),
        ({"by": "x" * 100}, "1 to 80"),
        ({"by": " "}, "by should be"),
        ({"colour": "red"}, "has no"),
        ({"replies": "text"}, "list"),
        ({"replies": [3]}, "reply should be"),
    ],
)
def test_lines_that_are_no_reviews(tmp_path: Path, change: dict[str, object], why: str) -> None:
    import json

    assert review_from(GOOD).by == "A"
    path = tmp_path / "reviews.jsonl"
    path.write_text(json.dumps({**GOOD, **change}) + "\n")
    with pytest.raises(WorkbenchError, match=why) as error:
        list(read_reviews(path))
    assert "line 1" in str(error.value)


def test_a_diff_shows_what_changed() -> None:
    said = diff_of(("one", "two words"), ("one", "two other words"))
    assert "-two words" in said and "+two other words" in said and "turn 2" in said
    assert diff_of(("a",), ("a",)) == ""
    assert version_of(("a", "b")) != version_of(("a b",))
