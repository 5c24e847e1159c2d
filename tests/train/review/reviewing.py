"""Children that review drafts of one pool, alone until they are killed or three at once.

Run as a program: the nursery they come from.
"""

import select
from pathlib import Path

from agent.errors import WorkbenchError
from agent.ratings.records import timestamp
from tests.app.core.session import recorder
from tests.app.core.session.recorder import Order, tell
from train.review.pool import Pool, export_approved, import_drafts, open_pool
from train.review.review_rules import Case, Review
from train.review.revision import Revision, revision_to_text

PEOPLE = ("Ada", "Ben", "Cy")
CLOSED = ("approved", "rejected")
ROUNDS = 3
"""Of which auditors want changes in all but the last."""


def review_of(case: Case, by: str, role: str, **more: object) -> Review:
    given = {"approve": True, "at": timestamp(), **more}
    return Review(trajectory=case.id, role=role, by=by, version=case.version, **given)


def reworded(case: Case, round_: int) -> Revision:
    """Another thought in the first turn, which claims nothing."""
    revision = Revision.of(case.replies)
    thought = f"So it begins, for the {round_}. time. {revision.turns[0].thought}"
    return revision.with_texts(0, thought)


def act(pool: Pool, case: Case, by: str) -> Review:
    """What this person does with a draft that waits for them."""
    match case.stage:
        case "screener":
            return review_of(case, by, "screener")
        case "reviser":
            pool.take(case.id, by)
            revision = reworded(case, case.rounds + 1)
            pool.store.save_work(case.id, by, revision_to_text(revision))
            return review_of(case, by, "reviser", replies=revision.replies, note="reworded")
        case "auditor" if case.rounds < ROUNDS and by != min(set(PEOPLE) - {case.author}):
            return review_of(
                case, by, "auditor", approve=False, changes=True, note=f"{by}: round {case.rounds}"
            )
        case _:
            return review_of(case, by, case.stage, note=f"{by} agrees")


def curate(order: Order) -> None:
    """Review whatever waits for this person, until every draft is approved or discarded."""
    by = PEOPLE[order["copy"]]
    pool = open_pool(order["location"])
    refused = 0
    while open_cases := [case for case in pool.cases() if case.stage not in CLOSED]:
        mine = [case for case in open_cases if not case.refusal(by, case.stage)]
        if not mine:
            select.select([], [], [], 0.01)  # the others are at work
        for case in mine:
            try:
                review = act(pool, case, by)
                pool.add_review(review)
            except WorkbenchError:  # somebody was quicker
                refused += 1
                continue
            tell("kept", case.id, review.role, by, review.note)
    tell("refused so often", refused)


def one_step(order: Order) -> None:
    """Only what is done in one stage, by one person after the other, as fast as can be."""
    pool = open_pool(order["location"])
    tell("open")
    for case in list(pool.cases_at(order["stage"])):
        while case.stage == order["stage"]:
            free = [by for by in PEOPLE if not case.refusal(by, case.stage)]
            review = act(pool, case, free[0])
            if review.role == "reviser":
                tell("work", case.id, free[0])
            case = pool.add_review(review)
            tell("kept", case.id, review.role, review.by, review.note)


def bring_in(order: Order) -> None:
    """Import drafts, into a new pool if there is none."""
    import_drafts(order["location"], [Path(order["drafts"])], [Path(order["set"])])
    tell("kept")


def export(order: Order) -> None:
    """Write the approved drafts, again and again."""
    pool = open_pool(order["location"])
    while True:
        export_approved(pool, Path(order["out"]))
        tell("kept")


recorder.WORKS |= {"curate": curate, "one step": one_step, "import": bring_in, "export": export}

if __name__ == "__main__":
    recorder.main()
