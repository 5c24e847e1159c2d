"""States, acts and events of a draft in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.curation.process import Case
from agent.curation.reviews import Review

translate = QCoreApplication.translate


def state_of(case: Case) -> str:
    """A name for the state: the stage, or "returned" where auditors want changes."""
    return "returned" if case.stage == "reviser" and case.is_returned else case.stage


STATES = (
    *("screener", "reviser", "returned", "auditor", "voter"),
    *("approved", "rejected"),
)


def state_text(state: str) -> str:
    return {
        "screener": translate("curation", "to screen"),
        "reviser": translate("curation", "to revise"),
        "returned": translate("curation", "changes wanted"),
        "auditor": translate("curation", "to audit"),
        "voter": translate("curation", "to vote on"),
        "approved": translate("curation", "approved"),
        "rejected": translate("curation", "discarded"),
    }[state]


def people_text(case: Case) -> str:
    """Who works on it, or did last."""
    if case.taken_by:
        return translate("curation", "{name} is revising").replace("{name}", case.taken_by)
    if case.stage == "auditor" and case.audits:
        return translate("curation", "by {name}, 1 of 2 audits").replace("{name}", case.author)
    if case.author:
        return translate("curation", "by {name}").replace("{name}", case.author)
    return case.reviews[-1].by if case.reviews else ""


def event_text(review: Review) -> str:
    """What a review did."""
    if review.role == "screener":
        kept = translate("curation", "kept it"), translate("curation", "discarded it")
        return kept[0] if review.approve else kept[1]
    if review.role == "reviser":
        if not review.approve:
            return translate("curation", "discarded it")
        if review.replies:
            return translate("curation", "saved a revision")
        return translate("curation", "left the words as they are")
    if review.role == "auditor":
        if review.approve:
            return translate("curation", "approved it")
        if review.changes:
            return translate("curation", "wants changes")
        return translate("curation", "rejected it")
    votes = translate("curation", "voted for it"), translate("curation", "voted against it")
    return votes[0] if review.approve else votes[1]


def waiting_text(case: Case, by: str) -> str:
    """Why this person has nothing to do here now."""
    stage = case.stage
    if stage == "approved":
        return translate("curation", "Approved: it goes into the training set.")
    if stage == "rejected":
        return translate("curation", "Discarded. It stays in the pool with its reasons.")
    if stage == "auditor" and by == case.author:
        return translate("curation", "You revised it; two others audit it.")
    if stage == "auditor" and any(audit.by == by for audit in case.audits):
        return translate("curation", "You have audited it; the other audit is not in yet.")
    if stage == "auditor":
        names = ", ".join(case.auditors[:2])
        return translate("curation", "It is audited by {names}.").replace("{names}", names)
    if stage == "voter" and by in case.panel:
        return translate("curation", "You have voted; the others have not yet.")
    if stage == "voter":
        names = ", ".join(case.panel)
        return translate("curation", "{names} vote on it.").replace("{names}", names)
    if case.taken_by and not case.author:
        return translate("curation", "{name} is revising it.").replace("{name}", case.taken_by)
    return translate("curation", "It is back with its author {name}.").replace(
        "{name}", case.author
    )
