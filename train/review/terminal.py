"""Review in the terminal: shows each case and asks for scores."""

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

from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST
from agent.trajectory.trajectory import Trajectory
from train.review.pool import Pool
from train.review.review_rules import Case, Review, Role
from train.review.revision import canonical_replies

Ask = Callable[[str], str]
Edit = Callable[[str], str | None]
DEFAULT_EDITOR = "notepad" if os.name == "nt" else "vi"
KEYS = "a approve, r reject, s skip, q quit"
AUDIT_KEYS = "a approve, c changes wanted, r reject, s skip, q quit"


class Quit(Exception):
    """Raised when the person quits."""


def review_in_terminal(
    pool: Pool, by: str, role: Role, console: Console, ask: Ask, edit: Edit, *, limit: int | None
) -> int:
    """Review all cases that wait for this person in this role, and return how many were."""
    done = 0
    for case in pool.cases_at(role):
        if limit is not None and done == limit:
            break
        if case.refusal(by, role):
            continue
        show_case(case, pool.current_trajectory(case), pool.example(case).answer, by, console)
        try:
            review = _ask_review(case, by, role, console, ask, edit)
        except Quit:
            break
        if review is not None:
            pool.add_review(review)
            done += 1
    return done


def show_case(case: Case, trajectory: Trajectory, answer: str, by: str, console: Console) -> None:
    """Print each turn with the tool's answer, and the reviews that this person may read."""
    # `Text` everywhere: replies are full of brackets that rich would read as markup.
    about = trajectory.spectrum
    name = about.path or about.object_id
    console.print(Rule(Text(f"{case.id}  {trajectory.task}  {name}  truth {answer}")))
    for number, reply in enumerate(trajectory.replies):
        console.print(Text(f"[{number + 1}] {reply}"))
        for step in trajectory.steps:
            if step.turn == number and step.kind == "zoom":
                console.print(Text(f"    {step.error or step.text}", style="dim"))
    for review in case.visible_reviews(by):
        vote = "approves" if review.approve else "wants changes" if review.changes else "rejects"
        console.print(Text(f"{review.role} {review.by} {vote}. {review.note}", style="dim"))


def _ask_review(
    case: Case, by: str, role: Role, console: Console, ask: Ask, edit: Edit
) -> Review | None:
    replies = _ask_revision(case, console, ask, edit) if role == "reviser" else case.replies
    choice = _ask_choice(ask, AUDIT_KEYS if role == "auditor" else KEYS)
    if choice == "s":
        return None
    is_scored = role in ("reviser", "auditor")
    scores = {name: _ask_score(ask, name) for name in CRITERIA} if is_scored else {}
    note = ask("note (optional)" if choice == "a" else "reason").strip()
    while choice == "c" and not note:
        note = ask("what should change?").strip()
    changes, approve = choice == "c", choice == "a"
    return case.review(
        by, role, approve=approve, changes=changes, note=note, after=replies, **scores
    )


def _ask_revision(case: Case, console: Console, ask: Ask, edit: Edit) -> tuple[str, ...]:
    """The replies as the reviser leaves them, in canonical form."""
    replies = list(case.replies)
    while True:
        chosen = ask(f"turn to change, 1 to {len(replies)} (empty: done)").strip()
        if not chosen:
            return canonical_replies(replies) if tuple(replies) != case.replies else case.replies
        if not chosen.isdigit() or not 1 <= int(chosen) <= len(replies):
            console.print(Text(f"there is no turn {chosen[:20]}"))
            continue
        index = int(chosen) - 1
        replies[index] = (edit(replies[index]) or replies[index]).strip()


def _ask_choice(ask: Ask, keys: str) -> str:
    while True:
        chosen = ask(keys).strip().casefold()[:1]
        if chosen == "q":
            raise Quit
        if chosen in ("a", "r", "s") or (chosen == "c" and keys == AUDIT_KEYS):
            return chosen


def _ask_score(ask: Ask, name: str) -> int:
    while True:
        score = ask(f"{name}, {LOWEST} to {HIGHEST}").strip()
        if score.isdigit() and LOWEST <= int(score) <= HIGHEST:
            return int(score)


def ask_in_terminal(question: str) -> str:
    return str(typer.prompt(question, default="", show_default=False))


def edit_in_terminal(text: str) -> str | None:
    """Edit a text in the person's editor (VISUAL or EDITOR); None if it cannot be started."""
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or DEFAULT_EDITOR)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "turn.txt"
        path.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*editor, str(path)], check=True)
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError, subprocess.CalledProcessError):
            return None
