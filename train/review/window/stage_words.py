"""States, acts and events of a draft in words, and the card that tells what happened to it."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QWidget

from app.core.statistics.working_time import local_time
from app.ui.base.translation.fill_in import fill_in
from app.ui.widgets.labels import MAX_REASON, column, cut, wrapped_label
from app.ui.widgets.page_parts import PageScrollArea
from train.review.review_rules import AUDITORS, SILENT_DAYS, Case, Review, Role

translate = QCoreApplication.translate


def state_of(case: Case) -> str:
    """A name for the state: the stage, or "returned" where auditors want changes."""
    return "returned" if case.stage == "reviser" and case.is_returned else case.stage


STATES = ("screener", "reviser", "returned", "auditor", "voter", "approved", "rejected")


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
    """Who works on it, or did last; with how many audits there are."""
    if case.taken_by:
        return fill_in(translate("curation", "{name} is revising"), name=case.taken_by)
    if case.stage == "auditor" and case.audits:
        return f"{case.author} · 1/{AUDITORS}"
    if case.author:
        return case.author
    return case.reviews[-1].by if case.reviews else ""


def event_text(review: Review) -> str:
    """What a review did."""
    discarded = translate("curation", "discarded it")
    saved = translate("curation", "saved a revision")
    left = translate("curation", "left the words as they are")
    wants = translate("curation", "wants changes")
    rejected = translate("curation", "rejected it")
    no_longer = translate("curation", "waits no longer for {name}")
    took_over = translate("curation", "took it over from {name}")
    ayes, noes = {
        "screener": (translate("curation", "kept it"), discarded),
        "reviser": (saved if review.replies else left, discarded),
        "auditor": (translate("curation", "approved it"), wants if review.changes else rejected),
        "voter": (translate("curation", "voted for it"), translate("curation", "voted against it")),
        "lead": (no_longer, no_longer),
        "successor": (took_over, took_over),
    }[review.role]
    return fill_in(ayes if review.approve else noes, name=review.replaces)


def asking_text(case: Case, by: str, role: Role) -> str:
    """What this person is asked to do now."""
    if role == "reviser" and case.is_returned:
        wanted = [f"{each.by}: {each.note}" for each in case.audits if each.changes]
        return "\n".join((translate("curation", "Changes are wanted:"), *wanted))
    text = {
        "screener": translate("curation", "Is it worth revising?"),
        "reviser": translate("curation", "Revise it until every claim is supported, then save."),
        "auditor": translate(
            "curation", "Is every step right? The other auditor does not see your answer."
        ),
        "voter": translate("curation", "All three approve it. Does it belong in the training set?"),
    }[role]
    if role != "auditor" or not case.awaited or by in case.awaited:
        return text
    place = translate("curation", "In the place of {names}, who has not answered.")
    return f"{text} {fill_in(place, names=', '.join(case.awaited))}"


def waiting_text(case: Case, by: str) -> str:
    """Why this person has nothing to do here now."""
    match case.stage:
        case "approved":
            return translate("curation", "Approved: it goes into the training set.")
        case "rejected":
            return translate("curation", "Discarded. It stays in the pool with its reasons.")
        case "auditor" | "voter" as stage:
            if stage == "auditor":
                text = _audit_text(case, by)
            elif by in case.panel:
                text = translate("curation", "You have voted; the others have not yet.")
            else:
                text = translate("curation", "{names} vote on it.")
                text = fill_in(text, names=", ".join(case.panel))
            return "\n".join(filter(None, (text, _silence_text(case))))
    if case.taken_by:
        return fill_in(translate("curation", "{name} is revising it."), name=case.taken_by)
    back = translate(
        "curation", "It is back with its author {name}. If they do not answer, take it over."
    )
    return fill_in(back, name=case.author)


def _audit_text(case: Case, by: str) -> str:
    if by == case.author:
        return translate("curation", "You revised it; two others audit it.")
    if any(audit.by == by for audit in case.audits):
        return translate("curation", "You have audited it; the other audit is not in yet.")
    names = ", ".join((*(audit.by for audit in case.audits), *case.awaited))
    return fill_in(translate("curation", "It is audited by {names}."), names=names)


def _silence_text(case: Case) -> str:
    """Who is waited for, and for how long."""
    if not case.awaited:
        return ""
    if case.stage == "voter" and not case.is_decided:
        text = translate(
            "curation", "If {names} cannot vote, wait no longer: another then audits it and votes."
        )
    elif case.stage == "voter":
        text = translate(
            "curation", "The vote is decided; it waits {n} days for {names}, then no longer."
        )
    else:
        text = translate(
            "curation", "It waits for {names}; after {n} days another may audit it instead."
        )
    return fill_in(text, names=", ".join(case.awaited), n=f"{SILENT_DAYS:g}")


class HistoryCard(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.title = wrapped_label(self.tr("What happened to it"), "title")
        self.text = wrapped_label("", "")
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        inner = QWidget(self)
        column(self.text, 1, spacing=None, parent=inner)
        parts = self.title, (PageScrollArea(inner), 1)
        column(*parts, spacing=4, margins=(12, 8, 12, 8), parent=self)

    def show_case(self, case: Case, by: str) -> None:
        lines = [_line(review) for review in reversed(case.visible_reviews(by))]
        hidden = len(case.reviews) - len(lines)
        if hidden:
            lines.insert(0, self.tr("The other audit is shown when the vote begins."))
        if case.void_reasons:
            lines += [cut(f"✗ {reason}", MAX_REASON) for reason in case.void_reasons]
        self.text.setText("\n".join(lines) or self.tr("Nothing yet: it waits for screening."))


def _line(review: Review) -> str:
    # As astronomers write it, for a day and a month are not to be confused; empty if it is none.
    moment = local_time(review.at, "%Y-%m-%d %H:%M")
    words = f"{moment} {review.by} {event_text(review)}".strip()
    if review.coherence is not None and review.consistency is not None:
        scores = translate("curation", "coherence {a}, physical consistency {b}")
        scores = fill_in(scores, a=str(review.coherence), b=str(review.consistency))
        words = f"{words} ({scores})"
    return cut(f"{words}: {review.note}" if review.note else words, MAX_REASON)
