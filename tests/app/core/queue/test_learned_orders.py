"""The order that learns: it finds what is wanted, tells nothing hidden, moves nothing on screen."""

import json
import random
import shutil

import numpy as np
import pytest
from sqlalchemy import insert, update

from app.core.database.tables import candidates, known_answers
from app.core.queue import (
    EVERYTHING,
    UNJUDGED,
    Sort,
    matching_ids,
    next_row,
    next_unjudged,
    parse_filter,
    parse_sort,
    row_of,
    sort_text,
)
from app.core.queue.blind_filters import FACT, breaks_blind_mode
from app.core.queue.learned_orders import adopt, begin, learned_so, prepare
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.core.similar.features import SIZE
from app.core.similar.index import index_of
from app.core.spectra.prefetch import SpectrumKey
from tests.app.core.sessions import change, made
from tests.night import BY_NIGHT

BEST, MIXED = Sort("learned", learn="best"), Sort("learned", learn="mixed")
ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)
COUNT = 400


def is_member(number):
    return number % 10 == 0


def with_spectra(session, count):
    """Every tenth has a line that the others have not."""
    draw, index = np.random.default_rng(1), index_of(session.database)
    for number in range(1, count + 1):
        vector = draw.normal(scale=20.0, size=SIZE)
        vector[11] += 100.0 * is_member(number)
        index.add(SpectrumKey(number, ""), np.clip(vector, -127, 127).astype(np.int8))
    return session


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "a.speco3", COUNT) as opened:
        yield with_spectra(opened, COUNT)


def judge(session, numbers):
    for number in numbers:
        session.record_verdict(number, ACCEPT if is_member(number) else REJECT)


def ids(session, sort=BEST, tree=EVERYTHING):
    return list(matching_ids(session, tree, sort))


def again(session, sort=BEST, tree=EVERYTHING, keep=()):
    made_anew = prepare(session, tree, sort, keep)
    assert adopt(session, sort, made_anew, keep)
    return made_anew


def test_one_yes_and_one_no_bring_the_like_to_the_front(session):
    assert ids(session) == list(range(1, COUNT + 1))
    judge(session, [10, 11])
    begin(session, EVERYTHING, BEST, 200)
    assert ids(session)[:3] == [10, 11, 200] and sorted(ids(session)) == list(range(1, COUNT + 1))
    assert sum(is_member(number) for number in ids(session)[3:23]) > 10
    so = learned_so(session, BEST)
    assert (so.verdicts, so.last, so.yes_of_last, so.left, so.at_most) == (2, 2, 1, 398, None)


def test_it_finds_nearly_all_with_few_verdicts(session):
    judge(session, [10, 11])
    begin(session, EVERYTHING, BEST, None)
    row, given = next_unjudged(session, EVERYTHING, BEST), 2
    while sum(map(is_member, ids(session, BEST, parse_filter("verdict:accept")))) < 36:
        judge(session, [row.candidate.id])
        given += 1
        row = next_unjudged(session, EVERYTHING, BEST, after=row.position)
        if given % 5 == 0:
            keep = [row.candidate.id]
            again(session, keep=keep)
    assert given < 60


def test_nothing_on_screen_or_next_moves(tmp_path):
    """Nor by undo, redo, jumps, merges and verdicts given while it is made anew."""
    count, draw, verdicts = 2500, random.Random(5), 2000 if BY_NIGHT else 300
    made(tmp_path / "a.speco3", count).close()
    shutil.copy(tmp_path / "a.speco3", tmp_path / "b.speco3")
    with open_session(tmp_path / "b.speco3", "Ada") as other:
        judge(other, draw.sample(range(1, count + 1), 60))
    with open_session(tmp_path / "a.speco3", "Ada") as session:
        with_spectra(session, count)
        sort = draw.choice([BEST, MIXED])
        begin(session, EVERYTHING, sort, 1)
        row, given, adopted = row_of(session, 1, sort), 0, 0
        while given < verdicts:
            act = draw.random()
            if act < 0.04 and (entry := session.undo() or session.redo()) is not None:
                row = row_of(session, entry.candidate_id, sort)
            elif act < 0.05:
                row = row_of(session, draw.randrange(1, count + 1), sort)
            elif given == 100:
                with open_session(tmp_path / "b.speco3", "Ada", read_only=True) as other:
                    merge(session, other)
            judge(session, [row.candidate.id])
            given += 1
            row = next_unjudged(session, EVERYTHING, sort, after=row.position) or row
            if given % 5:
                continue
            keep = seen(session, sort, row)
            made_anew = prepare(session, EVERYTHING, sort, keep)
            if draw.random() < 0.2:  # the person was faster
                judge(session, [row.candidate.id])
                row = next_unjudged(session, EVERYTHING, sort, after=row.position) or row
                keep = seen(session, sort, row)
            before = ids(session, sort)
            place = before.index(row.candidate.id)
            adopted += adopt(session, sort, made_anew, keep)
            after = ids(session, sort)
            assert after[: place + 1] == before[: place + 1]
            assert seen(session, sort, row) == keep
            assert row_of(session, row.candidate.id, sort).position == row.position
            assert sorted(after) == list(range(1, count + 1))
        assert adopted > verdicts / 10


def seen(session, sort, row):
    """What is on screen, what the arrow leads to and what a verdict leads to."""
    unjudged = next_unjudged(session, EVERYTHING, sort, after=row.position)
    after = next_row(session, EVERYTHING, sort, after=row.position)
    return [each.candidate.id for each in (row, after, unjudged) if each is not None]


def test_an_order_that_came_too_late_is_not_taken(session):
    judge(session, [10, 11])
    begin(session, EVERYTHING, BEST, None)
    late, first = prepare(session, EVERYTHING, BEST, [11]), prepare(session, EVERYTHING, BEST, [11])
    assert not adopt(session, BEST, first, [ids(session)[5]])
    assert adopt(session, BEST, first, [11]) and not adopt(session, BEST, late, [11])


def test_the_agents_opinion_is_where_it_begins_but_never_in_blind_mode(session):
    with session.database.writing() as connection:
        p = {"agent_p_yes": candidates.c.id * 1.0 / (COUNT + 1)}
        connection.execute(update(candidates).values(p))
    assert ids(session)[:3] == [400, 399, 398]
    session.set_fact(FACT, "yes")
    assert not breaks_blind_mode(EVERYTHING, BEST)
    blind = ids(session)
    assert blind == list(range(1, COUNT + 1))
    judge(session, [10, 11])
    begin(session, EVERYTHING, BEST, None)
    with_p = ids(session)
    change(session, update(candidates).values(agent_p_yes=None))
    begin(session, EVERYTHING, BEST, None)
    assert ids(session) == with_p
    assert prepare(session, EVERYTHING, BEST, ()).learned.of_columns[0] == 0.0


def test_known_answers_are_ordered_like_others_and_teach_nothing(session):
    judge(session, [10, 11, 12, 20])
    begin(session, EVERYTHING, BEST, None)
    plain, so = ids(session), learned_so(session, BEST)
    answers = {"is_member": True, "class_name": "CV", "simulated": True, "source": "x"}
    with session.database.writing() as connection:
        hidden = [{"candidate_id": number, **answers} for number in (100, 101)]
        connection.execute(insert(known_answers), hidden)
    begin(session, EVERYTHING, BEST, None)
    assert ids(session) == plain and learned_so(session, BEST) == so
    weights = prepare(session, EVERYTHING, BEST, ()).learned.weights
    judge(session, [100, 101])
    after = prepare(session, EVERYTHING, BEST, ())
    assert (after.learned.weights == weights).all()
    # Their verdicts count in the line as all do, or it would tell which they were.
    assert after.so.verdicts == 6 and after.so.left == COUNT - 6


@pytest.mark.parametrize(("target", "yes"), [("flag=star", {10, 30}), ("subclass=DA", {20, 30})])
def test_flags_and_sub_classes_are_learned_too(session, target, yes):
    session.record_verdict(10, Opinion(verdict=Verdict.REJECT, flags=("star",)))
    session.record_verdict(20, Opinion(verdict=Verdict.ACCEPT, subclass="DA/DAH"))
    session.record_verdict(30, Opinion(verdict=Verdict.ACCEPT, subclass="DA", flags=("star",)))
    session.record_verdict(31, Opinion(verdict=Verdict.ACCEPT, subclass="DAZ", flags=("star2",)))
    sort = Sort("learned", learn="best", target=target)
    held = prepare(session, EVERYTHING, sort, ())
    assert (held.learned.yes, held.learned.no) == (len(yes), 4 - len(yes))
    assert held.so.yes_of_last == 2


def test_one_in_ten_at_random_and_what_they_say_of_the_rest(session):
    judge(session, [10, 11])
    begin(session, EVERYTHING, MIXED, None)
    row = next_unjudged(session, EVERYTHING, MIXED)
    for step in range(200):
        judge(session, [row.candidate.id])
        row = next_unjudged(session, EVERYTHING, MIXED, after=row.position)
        if step % 5 == 4:
            held = again(session, MIXED, keep=seen(session, MIXED, row))
    so = learned_so(session, MIXED)
    assert so.at_random == 20 and so.yes_at_random == sum(map(is_member, held.draws))
    assert so.left == 198 and so.at_most < 60
    assert all(number in ids(session, MIXED)[:203] for number in held.draws)
    for tree, drawn in (("snr>-1", 0), ("", 20)):  # of another filter they say nothing
        assert prepare(session, parse_filter(tree), MIXED, ()).so.at_random == drawn
    # A session that is opened again goes on with them.
    location = session.location
    fact = json.loads(session.fact(f"learned:{session.reviewer_number}"))
    assert len(fact["weights"]) == SIZE and dict(fact["draws"]) == dict(held.draws)
    session.close()
    with open_session(location, "Ada") as reopened:
        assert prepare(reopened, EVERYTHING, MIXED, ()).so.at_random == 20
        other = prepare(reopened, parse_filter("snr>-1"), MIXED, ())
        assert other.so.at_random == 0  # they were drawn from others


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"order": 3}', '{"order": "learned:mixed", "filter": "", "draws": 7}',
             '{"order": "learned:mixed", "filter": "", "draws": [["a", 1e999]]}',
             f'{{"order": "learned:mixed", "filter": "", "draws": [[10, {10**400}]]}}']
)  # fmt: skip
def test_what_a_stranger_wrote_as_its_state_is_taken_or_left(session, text):
    judge(session, [10, 11])
    session.set_fact(f"learned:{session.reviewer_number}", text)
    assert prepare(session, EVERYTHING, MIXED, ()).so.at_random == 0


def test_candidates_that_come_later_come_last_and_then_in_their_place(session):
    judge(session, [10, 20, 30, 40, *range(11, 19)])
    before = ids(session)
    with session.database.writing() as connection:
        row = dict(connection.execute(candidates.select().limit(1)).mappings().one())
        connection.execute(insert(candidates), [{**row, "id": COUNT + 1}])
    assert ids(session) == [*before, COUNT + 1]
    index = index_of(session.database)
    index.add(SpectrumKey(COUNT + 1, ""), index.vector(50))
    again(session, keep=[11])
    assert ids(session).index(COUNT + 1) < 60
    assert ids(session, BEST, UNJUDGED)[0] not in (10, 11)


def test_several_examples_and_counter_examples(session):
    plain = ids(session, Sort("like", like=10))
    sort = Sort("like", like=10, examples=(20, 30), counter_examples=(11,))
    assert plain[0] == 10 and ids(session, sort)[0] == 10 and ids(session, sort)[-1] == 11
    best = [sum(map(is_member, order[:30])) for order in (plain, ids(session, sort))]
    assert best[0] < best[1]
    assert sort_text(sort) == "like:10+20+30-11" and parse_sort(sort_text(sort)) == sort


@pytest.mark.parametrize("text", [
    "learned:best", "learned:uncertain", "learned:mixed", "learned:best:flag=star",
    "learned:mixed:subclass=DA", "learned:best:flag=非常 好",
])  # fmt: skip
def test_orders_as_text(text):
    assert sort_text(parse_sort(text)) == text
    assert parse_sort("learned") == BEST
