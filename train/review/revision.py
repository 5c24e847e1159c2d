"""A draft as a person revises it: the texts and looks in order, and what may be done with them.

A look is announced at the end of one turn's thought and described at the beginning of the next. So
these sentences go with it when it is moved or deleted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from itertools import pairwise
from typing import Literal, NamedTuple

from agent.claims.claims import BOX, NOT_ASSERTED, SENTENCES
from agent.claims.lexicon import normalize_spelling
from agent.errors import ToolError, WorkbenchError
from agent.protocol.reply import Verdict, answer_reply, boxed_verdict, call_reply, parse_reply
from agent.protocol.tool import MAX_LABEL, Number, checked_arguments
from agent.rendering.window import single_line

MAX_TURNS = 64
MAX_TEXT = 100_000
TAGS = ("think>", "tool_call>", "answer>", "tool_response>", "<|")
_SPACES = re.compile(r"\s+")

Kind = Literal["same", "new", "gone"]

WORDS = re.compile(r"\s+|[^\s]+")
MAX_WORDS = 4000  # More would take seconds to compare; such texts differ as a whole.
LEAST_ALIKE = 0.3


@dataclass(frozen=True, kw_only=True)
class DraftTurn:
    """One turn: a look with a `range`, an answer with a `verdict`, or neither.

    `source` is the reply as it came, which is kept until the turn is changed.
    """

    thought: str = ""
    range: tuple[Number, Number] | None = None
    label: str = ""
    verdict: Verdict | None = None
    reasons: str = ""
    source: str = ""

    @property
    def reply(self) -> str:
        if self.source:
            return self.source
        if self.range is not None:
            label = {"label": self.label} if self.label else {}
            return call_reply(self.thought, {"wavelength_range": list(self.range), **label})
        if self.verdict is not None:
            return answer_reply(self.thought, self.verdict, self.reasons)
        return f"<think>{self.thought}</think>"


@dataclass(frozen=True)
class Revision:
    """All turns of a draft; each change gives a new one."""

    turns: tuple[DraftTurn, ...]

    @classmethod
    def of(cls, replies: Sequence[str]) -> Revision:
        return cls(tuple(map(_turn, replies)))

    @property
    def replies(self) -> tuple[str, ...]:
        return tuple(turn.reply for turn in self.turns)

    def with_texts(self, place: int, thought: str, reasons: str = "") -> Revision:
        """Another text in a turn; raises WorkbenchError where it holds tags of the protocol."""
        return self._with(place, thought=checked_text(thought), reasons=checked_text(reasons))

    def with_look(self, place: int, low: float, high: float, label: str) -> Revision:
        """Another call in a turn that has one."""
        wanted = _whole(low), _whole(high)
        return self._with(place, range=wanted, label=single_line(label, MAX_LABEL))

    def without_look(self, place: int) -> Revision:
        """Leave out a look with its announcement and its description."""
        after = self.turns[place + 1]
        about, _ = split_thought(self.turns[place])
        _, rest = split_thought(after)
        kept = replace(after, thought=_joined(about, rest), source="")
        return Revision((*self.turns[:place], kept, *self.turns[place + 2 :]))

    def with_look_later(self, place: int) -> Revision:
        """Swap a look with the one after it."""
        first, second, after = self.turns[place : place + 3]
        (about, first_plan), (first_about, second_plan), (second_about, rest) = map(
            split_thought, (first, second, after)
        )
        swapped = (
            replace(second, thought=_joined(about, second_plan), source=""),
            replace(first, thought=_joined(second_about, first_plan), source=""),
            replace(after, thought=_joined(first_about, rest), source=""),
        )
        return Revision((*self.turns[:place], *swapped, *self.turns[place + 3 :]))

    def is_look(self, place: int) -> bool:
        """Whether this turn has a look that another turn follows."""
        return 0 <= place < len(self.turns) - 1 and self.turns[place].range is not None

    def _with(self, place: int, **changes: object) -> Revision:
        changed = replace(self.turns[place], source="", **changes)  # type: ignore[arg-type]
        if changed == replace(self.turns[place], source=""):
            return self
        return Revision((*self.turns[:place], changed, *self.turns[place + 1 :]))


def split_thought(turn: DraftTurn) -> tuple[str, str]:
    """What a thought says of the picture before it, and of the next look or the conclusion."""
    ends = [cut.end() for cut in SENTENCES.finditer(turn.thought)]
    borders = pairwise((0, *ends, len(turn.thought)))
    sentences = [turn.thought[start:end] for start, end in borders]
    first = len(sentences)
    if turn.range is None:
        first -= 1
    else:
        while first > 0 and NOT_ASSERTED.search(sentences[first - 1]):
            first -= 1
    return "".join(sentences[:first]).strip(), "".join(sentences[first:]).strip()


def checked_text(text: str) -> str:
    """A text of a person on one line; raises WorkbenchError if it holds tags or a box."""
    line = " ".join(text.split())
    if "<" in line and any(tag in line for tag in TAGS):
        raise WorkbenchError("a text may not hold tags such as <think> or <tool_call>")
    if "\\boxed" in line:
        raise WorkbenchError("a text may not hold a \\boxed verdict: it is added by itself")
    if len(line) > MAX_TEXT:
        raise WorkbenchError(f"a text may have at most {MAX_TEXT} characters")
    return line


def revision_to_text(revision: Revision, version: str = "") -> str:
    """The turns as JSON, to be kept while somebody works on them; `version` is what they change."""
    work = {"version": version, "replies": list(revision.replies)}
    return json.dumps(work, ensure_ascii=False)


def revision_from_text(text: str) -> tuple[Revision, str] | None:
    """The turns that were kept, and the version they change if it is known; None if damaged."""
    try:
        work = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(work, list):  # as 0.2.0 kept it
        work = {"replies": work}
    if not isinstance(work, dict):
        return None
    replies, version = work.get("replies"), work.get("version", "")
    if not isinstance(replies, list) or not 0 < len(replies) <= MAX_TURNS:
        return None
    are_texts = all(isinstance(each, str) for each in (version, *replies))
    return (Revision.of(replies), version) if are_texts else None


def _turn(reply: str) -> DraftTurn:
    parsed = parse_reply(reply)
    plain = DraftTurn(thought=parsed.thought, source=reply)
    if parsed.kind == "call":
        try:
            wanted, label = checked_arguments(parsed.arguments)
        except ToolError:
            return plain
        return replace(plain, range=wanted, label=label or "")
    if parsed.kind == "answer":
        return replace(plain, verdict=parsed.verdict, reasons=BOX.sub("", parsed.answer).strip())
    return plain


def _whole(number: float) -> Number:
    return int(number) if float(number).is_integer() else float(number)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def canonical_replies(replies: Sequence[str]) -> tuple[str, ...]:
    """Replies with the same layout and spellings; an unreadable reply is unchanged."""
    return tuple(_reworded(reply, _tidy) for reply in replies)


def remove_sentences(reply: str, sentences: Sequence[str]) -> str:
    """A canonical reply without some of its sentences."""
    return _reworded(reply, partial(_kept, left_out=sentences))


def _reworded(reply: str, change: Callable[[str], str]) -> str:
    """A reply with its texts changed, in the layout of all; an unreadable one is unchanged."""
    parsed = parse_reply(reply)
    if parsed.kind == "call":
        return call_reply(change(parsed.thought), parsed.arguments)
    if parsed.kind == "answer" and boxed_verdict(parsed.answer):
        reasons = change(BOX.sub("", parsed.answer))
        return answer_reply(change(parsed.thought), parsed.verdict or "", reasons)
    return reply


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


# What changed between two wordings of a draft, turn by turn and word by word.
class Piece(NamedTuple):
    """A run of words that both texts have, that is new, or that is gone."""

    kind: Kind
    text: str


def word_differences(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces of both texts in order; those that are gone stand before those in their place."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    pieces = [Piece("gone", before), Piece("new", after)]
    if max(len(old), len(new)) <= MAX_WORDS:
        pieces = []
        for what, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if what == "equal":
                pieces.append(Piece("same", "".join(new[k:m])))
            else:
                pieces += [Piece("gone", "".join(old[i:j])), Piece("new", "".join(new[k:m]))]
    return tuple(piece for piece in pieces if piece.text)


def former_turns(before: Sequence[DraftTurn], after: Sequence[DraftTurn]) -> list[DraftTurn | None]:
    """For each turn the one it was made from: of the same call, or else the most alike."""
    left = list(before)
    found: list[DraftTurn | None] = []
    for turn in after:
        found.append(next((each for each in left if _is_same_call(each, turn)), None))
        left = [each for each in left if each is not found[-1]]
    for place, turn in enumerate(after):
        if found[place] is None and left:
            best = max(left, key=lambda each: _likeness(each, turn))
            if _likeness(best, turn) >= LEAST_ALIKE:
                left.remove(best)
                found[place] = best
    return found


def _is_same_call(first: DraftTurn, second: DraftTurn) -> bool:
    if first.range is None and second.range is None:
        return first.verdict == second.verdict
    return (first.range, first.label) == (second.range, second.label)


def _likeness(first: DraftTurn, second: DraftTurn) -> float:
    if (first.range is None) != (second.range is None):
        return 0.0
    one, two = (f"{each.range} {each.label} {each.thought}"[:2000] for each in (first, second))
    return SequenceMatcher(None, one, two, autojunk=False).ratio()
