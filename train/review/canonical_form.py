"""The canonical form of trajectories for training, whoever wrote them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from agent.claims.claims import BOX, SENTENCES
from agent.claims.lexicon import normalize_spelling
from agent.protocol.reply import boxed_verdict, parse_reply
from agent.protocol.tool import TOOL_NAME

_SPACES = re.compile(r"\s+")


def canonical_replies(replies: Sequence[str]) -> tuple[str, ...]:
    """Replies with the same layout and spellings; an unreadable reply is unchanged."""
    return tuple(map(_turn, replies))


def remove_sentences(reply: str, sentences: Sequence[str]) -> str:
    """A canonical reply without some of its sentences."""
    parsed = parse_reply(reply)
    thought = _kept(parsed.thought, sentences)
    if parsed.kind == "call":
        return call_reply(thought, parsed.arguments)
    if parsed.kind == "answer":
        return answer_reply(
            thought, parsed.verdict or "", _kept(BOX.sub("", parsed.answer), sentences)
        )
    return reply


def _turn(reply: str) -> str:
    parsed = parse_reply(reply)
    if parsed.kind == "call":
        return call_reply(_tidy(parsed.thought), parsed.arguments)
    if parsed.kind == "answer" and boxed_verdict(parsed.answer):
        reasons = _tidy(BOX.sub("", parsed.answer))
        return answer_reply(_tidy(parsed.thought), parsed.verdict or "", reasons)
    return reply


def call_reply(thought: str, arguments: object) -> str:
    call = json.dumps({"name": TOOL_NAME, "arguments": arguments}, ensure_ascii=False)
    return f"<think>{thought}</think>\n<tool_call>\n{call}\n</tool_call>"


def answer_reply(thought: str, verdict: str, reasons: str) -> str:
    return f"<think>{thought}</think>\n<answer>\\boxed{{{verdict}}} {reasons}</answer>"


def _tidy(text: str) -> str:
    return _SPACES.sub(" ", normalize_spelling(text)).strip()


def _kept(text: str, left_out: Sequence[str]) -> str:
    """The text without these sentences and clauses; a final semicolon becomes a full stop."""
    removed = {sentence.strip() for sentence in left_out}
    kept, at = "", 0
    cuts = [(cut.start(), cut.end()) for cut in SENTENCES.finditer(text)]
    for end, following in (*cuts, (len(text), len(text))):
        if text[at:end].strip() not in removed:
            kept += text[at:following]
        at = following
    return re.sub(r";\s*$", ".", kept.strip())
