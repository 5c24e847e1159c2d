"""One side of a dispute: what a person or an agent says, and why."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.core.session.records import Judgement, Verdict
from app.ui.agent.measured_words import measured_words
from app.ui.agent.words import chance
from app.ui.judging.verdict_words import mark_and_word, meaning
from app.ui.review.disputes_found import AgentSaid
from app.ui.translation.text_pairs import task_words
from app.ui.widgets.labels import words

ROLES = {Verdict.ACCEPT: "accept", Verdict.REJECT: "reject", Verdict.UNSURE: "unsure"}
LONGEST = 1200
"""Characters of a comment or of the agent's reasons."""


class OpinionCard(QFrame):
    def __init__(
        self, who: str, said: str, role: str, more: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(4)
        self.said = words(said, role)
        layout.addWidget(words(who, "title"))
        layout.addWidget(self.said)
        if more:
            layout.addWidget(words(more, "dim"))
        if text:
            layout.addWidget(words(text[:LONGEST]))
        layout.addStretch(1)
        self.setAccessibleName(f"{who}: {said}")


def of_person(given: Judgement, *, is_adjudicator: bool) -> OpinionCard:
    opinion = given.opinion
    more = [given.at[:16].replace("T", " ")]
    if opinion.confidence is not None:
        more.append(
            QCoreApplication.translate("OpinionCard", "confidence {word}").replace(
                "{word}", meaning(opinion.confidence)
            )
        )
    more += opinion.flags
    who = given.reviewer
    if is_adjudicator:
        who += " · " + QCoreApplication.translate("OpinionCard", "adjudicator")
    role = "dim" if opinion.verdict is None else ROLES[opinion.verdict]
    said = mark_and_word(opinion.verdict)
    told = "\n".join(filter(None, (more[0], " · ".join(more[1:]))))
    return OpinionCard(who, said, role, told, opinion.comment)


def of_agent(said: AgentSaid) -> OpinionCard:
    roles = {"YES": "accept", "NO": "reject"}
    answer = {"YES": "✓ YES", "NO": "✕ NO"}.get(
        said.verdict or "", QCoreApplication.translate("OpinionCard", "no verdict")
    )
    if said.p_yes is not None:
        answer += f" · p(YES) {chance(said.p_yes)}"
    more = [
        QCoreApplication.translate("OpinionCard", "looks: {count}").replace(
            "{count}", str(said.looks)
        )
    ]
    if said.look is not None:
        low, high = said.look.range
        more.append(f"{task_words(said.look.label)} {low:.0f}–{high:.0f} Å")
    who = QCoreApplication.translate("OpinionCard", "Agent") + f" {said.model}"
    role = roles.get(said.verdict or "", "dim")
    return OpinionCard(who, answer, role, " · ".join(more), measured_words(said.reasons))


def hidden_agent() -> OpinionCard:
    told = QCoreApplication.translate(
        "OpinionCard", "Hidden in blind mode until you have judged it"
    )
    return OpinionCard(QCoreApplication.translate("OpinionCard", "Agent"), told, "dim", "", "")
