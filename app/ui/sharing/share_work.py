"""What the dialog of shares does outside the GUI thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.progress import ShouldStop
from app.core.session.assignments import Part, parts
from app.core.session.session import Session, open_session
from app.core.sharing.merge import merge
from app.core.sharing.merge_report import MergeReport
from app.core.sharing.parts import PartFile, split
from app.core.sharing.second_opinions import assign_second_opinions
from app.core.sharing.share_out import ShareReport, share_out
from app.core.sharing.share_plan import SharePlan, plan_of


@dataclass(frozen=True)
class Shares:
    """How the list is shared out now."""

    plan: SharePlan | None
    parts: tuple[Part, ...]
    report: ShareReport | None = None
    files: tuple[PartFile, ...] = ()
    merged: tuple[MergeReport, ...] = ()


def read_shares(session: Session) -> Shares:
    """Read them, after the rule has asked for what second opinions it wants by now."""
    assign_second_opinions(session)
    return Shares(plan_of(session), parts(session))


def make_shares(session: Session, plan: SharePlan, anew: bool) -> Shares:
    report = share_out(session, plan, anew=anew)
    return Shares(report.plan, parts(session), report)


def write_parts(session: Session, folder: Path, with_spectra: bool) -> Shares:
    files = split(session, folder, with_spectra=with_spectra)
    return Shares(plan_of(session), parts(session), files=tuple(files))


def merge_files(session: Session, paths: Sequence[Path], should_stop: ShouldStop) -> Shares:
    """Merge what colleagues sent back; a file that cannot be merged ends it, those before stay."""
    merged = []
    for path in paths:
        with open_session(path, session.reviewer, read_only=True) as other:
            merged.append(merge(session, other, should_stop=should_stop))
    return Shares(plan_of(session), parts(session), merged=tuple(merged))
