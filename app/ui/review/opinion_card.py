"""Cards with one opinion in a dispute: the verdict of a person or an agent, and the reasons."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFrame

from agent.trajectory.p_yes import probability_text
from app.core.session.finer_values import subclass_levels
from app.core.session.own_fields import value_text
from app.core.session.records import Judgement
from app.ui.judging.verdict_text import NAMES, confidence_meaning, mark_and_word
from app.ui.review.dispute_summary import AgentOpinion
from app.ui.translation.data_texts import task_text
from app.ui.translation.measured_texts import translate_measured_text
from app.ui.widgets.labels import column, narrow, one_line, wrapped_label

translate = QCoreApplication.translate
MAX_TEXT = 1200
"""Characters shown of a comment or of the agent's reasons."""


class OpinionCard(QFrame):
    def __init__(self, who: str, verdict: str, role: str, details: str, text: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        layout = column(spacing=4, margins=(12, 8, 12, 8), parent=self)
        self.verdict = narrow(wrapped_label(verdict, role))
        layout.addWidget(narrow(wrapped_label(one_line(who), "title")))
        layout.addWidget(self.verdict)
        if details:
            layout.addWidget(narrow(wrapped_label(details, "dim")))
        if text:
            layout.addWidget(narrow(wrapped_label(text[:MAX_TEXT])))
        layout.addStretch(1)
        self.setAccessibleName(f"{who}: {verdict}")


def person_card(given: Judgement, *, is_adjudicator: bool) -> OpinionCard:
    opinion = given.opinion
    details = [given.at[:16].replace("T", " ")]
    if opinion.confidence is not None:
        confidence = translate("OpinionCard", "confidence {word}")
        details.append(confidence.replace("{word}", confidence_meaning(opinion.confidence)))
    details += opinion.flags
    if opinion.subclass:
        details.append(" › ".join(subclass_levels(opinion.subclass)))
    details += [f"{name} = {value_text(value)}" for name, value in opinion.fields]
    who = given.reviewer
    if is_adjudicator:
        who += " · " + translate("OpinionCard", "adjudicator")
    role = "dim" if opinion.verdict is None else NAMES[opinion.verdict]
    verdict = mark_and_word(opinion.verdict)
    text = "\n".join(filter(None, (details[0], " · ".join(details[1:]))))
    return OpinionCard(who, verdict, role, text, opinion.comment)


def agent_card(opinion: AgentOpinion) -> OpinionCard:
    roles = {"YES": "accept", "NO": "reject"}
    answer = {"YES": "✓ YES", "NO": "✕ NO"}.get(
        opinion.verdict or "", translate("OpinionCard", "no verdict")
    )
    if opinion.p_yes is not None:
        answer += f" · p(YES) {probability_text(opinion.p_yes)}"
    details = [translate("OpinionCard", "looks: {count}").replace("{count}", str(opinion.looks))]
    if opinion.look is not None:
        low, high = opinion.look.range
        details.append(f"{task_text(opinion.look.label)} {low:.0f}–{high:.0f} Å")
    who = translate("OpinionCard", "Agent") + f" {opinion.model}"
    role = roles.get(opinion.verdict or "", "dim")
    reasons = translate_measured_text(opinion.reasons)
    return OpinionCard(who, answer, role, " · ".join(details), reasons)


def hidden_agent_card() -> OpinionCard:
    text = translate("OpinionCard", "Hidden in blind mode until you have judged it")
    return OpinionCard(translate("OpinionCard", "Agent"), text, "dim", "", "")
