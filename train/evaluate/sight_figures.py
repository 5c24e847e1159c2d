"""Figures of a test of sight: what becomes of a model's verdicts when its pictures change."""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agent.confidence.scores import Estimate, wilson
from agent.models.card import ReportedFigure
from train.evaluate.figures import mean_f1
from train.evaluate.judgement import Judgement
from train.evaluate.sight_pictures import SHIFT_A, Pictures
from train.evaluate.tables import figure_json, percent, table_lines, with_interval
from train.models.card_figures import per_cent

NAMES: Mapping[Pictures, str] = {
    "own": "as they are",
    "white": "white paper",
    "other": "of another spectrum of another class",
    "mirrored": "mirrored in wavelength",
    "shifted": f"shifted by {SHIFT_A:g} Å",
}
HEAD = ("pictures", "mean F1 (95 %)", "mean p(YES)", "same verdicts", "same replies", "follows")
TABLE = "sight"
Replies = Mapping[tuple[str, str], tuple[str, ...]]
"""The replies of each inspection, by task and hash of the spectrum."""


@dataclass(frozen=True, kw_only=True)
class SightFigures:
    """Figures for one kind of pictures; the shares compare with the pictures as they are."""

    pictures: Pictures
    n: int
    positives: int
    mean_f1: Estimate
    p_yes: float | None
    same_verdicts: float
    same_replies: float  # share of inspections with the same replies, word for word
    differing: int
    """Candidates whose true answer is another one than that for the spectrum in the pictures."""
    follows: Estimate | None  # share of those in which the verdict is that for the pictures


def sight_figures(
    pictures: Pictures,
    judgements: Sequence[Judgement],
    replies: Replies,
    own: Sequence[Judgement],
    own_replies: Replies,
    seed: int = 0,
) -> SightFigures:
    known = [one.p_yes for one in judgements if one.p_yes is not None]
    before = {one.key: one.verdict for one in own}
    both = replies.keys() & own_replies.keys()
    differing = [one for one in judgements if one.shown_answer not in (None, one.answer)]
    n, count = len(differing), sum(one.verdict == one.shown_answer for one in differing)
    follows = Estimate(count / n, *wilson(count, n)) if n else None
    return SightFigures(
        pictures=pictures,
        n=len(judgements),
        positives=sum(one.answer == "YES" for one in judgements),
        mean_f1=mean_f1(judgements, seed),
        p_yes=statistics.fmean(known) if known else None,
        same_verdicts=statistics.fmean(one.verdict == before[one.key] for one in judgements),
        same_replies=sum(replies[key] == own_replies[key] for key in both) / max(len(both), 1),
        differing=n,
        follows=follows,
    )


def sight_rows(rows: Sequence[SightFigures]) -> Iterator[tuple[str, ...]]:
    """The cells of the table, one row for each kind of pictures."""
    for one in rows:
        yield (
            NAMES[one.pictures],
            with_interval(one.mean_f1),
            "-" if one.p_yes is None else f"{one.p_yes:.3f}",
            "" if one.pictures == "own" else percent(one.same_verdicts),
            "" if one.pictures == "own" else percent(one.same_replies),
            f"{percent(one.follows.value)} of {one.differing}" if one.follows else "",
        )


def sight_markdown(model: str, name: str, rows: Sequence[SightFigures]) -> str:
    first = rows[0]
    lines = [
        f"## Test of sight: {model} on {name}",
        "",
        f"{first.positives} positives, {first.n - first.positives} negatives; the numbers told "
        "stay those of the right spectrum. Shares in per cent, of the verdicts and replies that "
        "the pictures as they are give. *Follows*: verdicts that agree with the picture where its "
        "true answer is another.",
        "",
        *table_lines(HEAD, sight_rows(rows)),
        "",
    ]
    return "\n".join(lines)


def sight_json(sets: Mapping[str, Mapping[str, Sequence[SightFigures]]]) -> str:
    """The file from which the report is written: for each set and model its figures."""
    table = {
        name: {model: [_plain(one) for one in rows] for model, rows in models.items()}
        for name, models in sets.items()
    }
    return json.dumps({"table": TABLE, "sets": table}, indent=1) + "\n"


def _plain(one: SightFigures) -> dict[str, Any]:
    follows = None if one.follows is None else figure_json(one.follows)
    return asdict(one) | {"mean_f1": figure_json(one.mean_f1), "follows": follows}


def read_sight(text: str) -> dict[str, dict[str, list[SightFigures]]]:
    """What `sight_json` wrote."""
    return {
        name: {model: [_figures(row) for row in rows] for model, rows in models.items()}
        for name, models in json.loads(text)["sets"].items()
    }


def _figures(row: Mapping[str, Any]) -> SightFigures:
    follows = None if row["follows"] is None else Estimate(**row["follows"])
    return SightFigures(**{**row, "mean_f1": Estimate(**row["mean_f1"]), "follows": follows})


def card_figures(name: str, rows: Sequence[SightFigures]) -> Iterator[ReportedFigure]:
    for one in rows:
        pictures = NAMES[one.pictures]
        on = f"{TABLE}: {name}, {one.positives}:{one.n - one.positives}, pictures {pictures}"
        if (mean := one.mean_f1).value is not None:
            about = f"{on}, 95 % {percent(mean.low)} to {percent(mean.high)}"
            yield per_cent("mean F1", mean.value or 0.0, about)
        if one.p_yes is not None:
            yield ReportedFigure(figure="mean p(YES)", value=round(one.p_yes, 3), on=on)
        if one.pictures != "own":
            yield per_cent("same verdicts", one.same_verdicts, on)
            yield per_cent("same replies", one.same_replies, on)
        if one.follows:
            on = f"{on}, {one.differing} with another true answer"
            yield per_cent("verdicts that follow the picture", one.follows.value or 0.0, on)
