"""A person reviews in the terminal: the texts are shown, scores are asked."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import typer
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from agent.trajectory.trajectory import Trajectory
from train.curate.one_form import one_form
from train.curate.pool import Pool
from train.curate.process import Case
from train.curate.reviews import HIGHEST, LOWEST, Review, Role, diff_of, now

Ask = Callable[[str], str]
Edit = Callable[[str], str | None]
DEFAULT_EDITOR = "notepad" if os.name == "nt" else "vi"
KEYS = "a approve, r reject, s skip, q quit"


class Quit(Exception):
    """The person has had enough."""


def review_in_terminal(
    pool: Pool, by: str, role: Role, console: Console, ask: Ask, edit: Edit, *, limit: int | None
) -> int:
    """Case by case until none waits for this person in this role; how many were reviewed."""
    done = 0
    for case in pool.waiting(role):
        if limit is not None and done == limit:
            break
        if case.refusal(by, role):
            continue
        show(case, pool.current(case), pool.example(case).answer, console)
        try:
            review = _asked(case, by, role, console, ask, edit)
        except Quit:
            break
        if review is not None:
            pool.add(case, review)
            done += 1
    return done


def show(case: Case, trajectory: Trajectory, answer: str, console: Console) -> None:
    """Everything said, turn by turn, with what the tool answered. Nothing in it is markup."""
    about = trajectory.spectrum
    name = about.path or about.object_id
    console.print(Rule(Text(f"{case.id}  {trajectory.task}  {name}  truth {answer}")))
    for number, reply in enumerate(trajectory.replies):
        console.print(Text(f"[{number + 1}] {reply}"))
        for step in trajectory.steps:
            if step.turn == number and step.kind == "zoom":
                console.print(Text(f"    {step.error or step.text}", style="dim"))
    for review in case.reviews:
        said = "approves" if review.approve else "rejects"
        console.print(Text(f"{review.role} {review.by} {said}. {review.note}", style="dim"))


def _asked(
    case: Case, by: str, role: Role, console: Console, ask: Ask, edit: Edit
) -> Review | None:
    replies = _revised(case, console, ask, edit) if role == "reviser" else case.replies
    choice = _choice(ask)
    if choice == "s":
        return None
    scores: tuple[int | None, int | None] = (None, None)
    if role in ("reviser", "auditor"):
        scores = _score(ask, "coherence"), _score(ask, "consistency")
    return Review(
        trajectory=case.id,
        role=role,
        by=by,
        approve=choice == "a",
        version=case.version,
        at=now(),
        coherence=scores[0],
        consistency=scores[1],
        note=ask("note (may be empty)").strip(),
        replies=replies if replies != case.replies else (),
        diff=diff_of(case.replies, replies),
    )


def _revised(case: Case, console: Console, ask: Ask, edit: Edit) -> tuple[str, ...]:
    """The turns as the reviser leaves them, in the one form."""
    replies = list(case.replies)
    while True:
        chosen = ask(f"turn to change, 1 to {len(replies)} (empty: done)").strip()
        if not chosen:
            return one_form(replies) if tuple(replies) != case.replies else case.replies
        if not chosen.isdigit() or not 1 <= int(chosen) <= len(replies):
            console.print(Text(f"there is no turn {chosen[:20]}"))
            continue
        place = int(chosen) - 1
        replies[place] = (edit(replies[place]) or replies[place]).strip()


def _choice(ask: Ask) -> str:
    while True:
        chosen = ask(KEYS).strip().casefold()[:1]
        if chosen == "q":
            raise Quit
        if chosen in ("a", "r", "s"):
            return chosen


def _score(ask: Ask, name: str) -> int:
    while True:
        said = ask(f"{name}, {LOWEST} to {HIGHEST}").strip()
        if said.isdigit() and LOWEST <= int(said) <= HIGHEST:
            return int(said)


def ask_in_terminal(question: str) -> str:
    return str(typer.prompt(question, default="", show_default=False))


def edit_in_terminal(text: str) -> str | None:
    """In the person's own editor (EDITOR); None where none can be started."""
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or DEFAULT_EDITOR)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "turn.txt"
        path.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*editor, str(path)], check=True)
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError, subprocess.CalledProcessError):
            return None
