"""The learner: what it makes of examples, that a p(YES) is not made worse, and its bound."""

import numpy as np
import pytest

from app.core.similar.features import SIZE
from app.core.similar.learner import at_most_left, best_first, examples_vector, learn


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def stars():
    """Of 400, every tenth has a line that the others have not."""
    draw = np.random.default_rng(3)
    is_yes = np.arange(400) % 10 == 0
    vectors = draw.normal(size=(400, SIZE)) + 4.0 * np.outer(is_yes, np.eye(SIZE)[7])
    return unit(vectors), is_yes


def score(learned, vectors, columns):
    return vectors @ learned.weights + columns @ learned.of_columns + learned.intercept


def test_one_yes_and_one_no_are_enough_and_more_are_better(stars):
    vectors, is_yes = stars
    none = np.zeros((len(vectors), 1), np.float32)
    found = []
    for count in (2, 20, 200):
        rows = np.arange(10, 10 + count)
        learned = learn(vectors[rows], none[rows], is_yes[rows], from_agent=False)
        assert (learned.yes, learned.no) == (count // 10 or 1, count - (count // 10 or 1))
        best = best_first(score(learned, vectors, none))[:40]
        found.append(is_yes[best].mean())
    assert 0.2 < found[0] < found[1] < found[2] and found[2] > 0.8


def test_without_a_no_it_is_more_like_this_and_without_any_it_is_nothing(stars):
    vectors, is_yes = stars
    none = np.zeros((len(vectors), 1), np.float32)
    yes = learn(vectors[[0, 10]], none[:2], is_yes[[0, 10]], from_agent=False)
    alike = examples_vector(vectors[[0, 10]], vectors[:0])
    assert best_first(vectors @ yes.weights).tolist() == best_first(vectors @ alike).tolist()
    assert learn(vectors[:0], none[:0], is_yes[:0], from_agent=False).is_nothing
    no = examples_vector(vectors[:0], vectors[[1]])
    assert np.argmin(vectors @ no) == 1


def test_it_begins_with_the_agent_and_stays_with_one_that_is_right(stars):
    vectors, is_yes = stars
    draw = np.random.default_rng(1)
    logit = (6.0 * is_yes - 3.0 + draw.normal(size=len(is_yes))).astype(np.float32)[:, None]
    begun = learn(vectors[:0], logit[:0], is_yes[:0], from_agent=True)
    assert score(begun, vectors, logit) == pytest.approx(logit[:, 0])
    rows = best_first(logit[:, 0])[:60]
    learned = learn(vectors[rows], logit[rows], is_yes[rows], from_agent=True)
    ranks = np.argsort(best_first(score(learned, vectors, logit)))
    agents = np.argsort(best_first(logit[:, 0]))
    assert ranks[is_yes].max() <= 1.05 * agents[is_yes].max()


def test_what_an_agent_gets_wrong_is_learned(stars):
    vectors, is_yes = stars
    logit = np.random.default_rng(2).normal(size=(len(is_yes), 1)).astype(np.float32)
    rows = np.arange(200)
    learned = learn(vectors[rows], logit[rows], is_yes[rows], from_agent=True)
    best = best_first(score(learned, vectors, logit)[200:])[:20]
    assert is_yes[200:][best].mean() > 0.5


@pytest.mark.parametrize("count", [0, 1, 7, 30_000])
def test_rows_come_by_falling_score_and_the_unknown_last(count):
    scores = np.random.default_rng(5).normal(size=count).astype(np.float32)
    scores[1::3] = np.nan
    order = best_first(scores)
    assert sorted(order.tolist()) == list(range(count))
    known = scores[order][: np.isfinite(scores).sum()]
    step = 1e-9 if count <= 7 else np.ptp(known) / 60_000  # many are sorted by levels
    assert np.isfinite(known).all() and (np.diff(known) <= step).all()
    unknown = order[len(known) :]
    assert (np.diff(unknown) > 0).all()
    equal = np.full(count, 2.5, np.float32)
    assert best_first(equal).tolist() == list(range(count))


def test_the_bound_on_what_is_left():
    assert at_most_left(0, [], 700) == 700
    assert at_most_left(0, [1000] * 60, 700) == 48  # 1 - 0.05 ** (1 / 60) of a thousand
    assert at_most_left(5, [1000] * 60, 100) == 100
    few = at_most_left(0, [1000] * 200, 700)
    assert few < at_most_left(1, [1000] * 200, 700) < at_most_left(0, [1000] * 60, 700) + 1


@pytest.mark.parametrize("skill", [-2.0, 0.0, 2.0])
def test_the_bound_holds_whatever_was_taken_out_in_between(skill):
    """Also where the learner prefers what is not wanted."""
    draw, holds = np.random.default_rng(8), 0
    for _ in range(200):
        is_yes = draw.random(600) < 0.05
        worth = skill * is_yes + draw.normal(size=600)
        order = best_first(worth.astype(np.float32)).tolist()
        left, lefts, hits = set(range(600)), [], 0
        for step in range(300):
            if step % 10 == 9:
                pick = int(draw.choice(sorted(left)))
                lefts.append(len(left))
                hits += bool(is_yes[pick])
            else:
                pick = next(each for each in order if each in left)
            left.discard(pick)
        holds += int(is_yes[sorted(left)].sum()) <= at_most_left(hits, lefts, len(left))
    assert holds >= 190
