"""Changes a person's opinion on a candidate that is on screen or has just left it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agent.errors import WorkbenchError
from app.core.session.finer_values import FieldValue, with_value
from app.core.session.records import Opinion
from app.ui.candidate.current import CurrentCandidate
from app.ui.candidate.verdict_writer import toggled

ChangeOpinion = Callable[[Opinion], Opinion]


def amend(current: CurrentCandidate, candidate_id: int, change: ChangeOpinion) -> bool:
    """Change the opinion on that candidate and no other; return False if it was not saved."""
    if current.candidate is not None and current.candidate.id == candidate_id:
        wanted = change(current.opinion)
        current.change(wanted, save=True)
        return current.opinion == wanted
    try:
        entry = current.verdicts.amend(candidate_id, change)
    except WorkbenchError as error:
        current.report_error(error)
        return False
    if entry is not None:
        current.judged.emit(entry)
    return True


def with_subclass(path: str) -> ChangeOpinion:
    return lambda opinion: replace(opinion, subclass=path)


def with_comment(comment: str) -> ChangeOpinion:
    return lambda opinion: replace(opinion, comment=comment)


def with_flag_toggled(flag: str) -> ChangeOpinion:
    return lambda opinion: replace(opinion, flags=toggled(opinion.flags, flag))


def with_field(name: str, value: FieldValue | None) -> ChangeOpinion:
    return lambda opinion: replace(opinion, fields=with_value(opinion.fields, name, value))
