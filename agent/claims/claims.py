"""Splits the text of a turn into single claims: a feature, its state or a number.

The text is read sentence by sentence, and a number belongs to the last feature named before it. A
number that belongs to none is a claim without a feature.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agent.claims.features import Feature
from agent.claims.lexicon import Mention, find_mentions, normalize_spelling
from agent.evidence.window_numbers import MARKS
from agent.spectra.spectrum import Window

Quantity = Literal[
    "strength", "width", "width_kms", "step", "velocity", "separation", "sigma", "ratio", "state",
    "snr", "coverage", "window", "colour", "quote", "unknown",
]  # fmt: skip
Compare = Literal["is", "above", "below"]
State = Literal["", "emission", "absorption", "present", "absent", "no emission", "no absorption"]

MAX_CLAIMS = 400
MAX_SENTENCE = 1000  # Characters; a longer sentence is read in pieces.

BOX = re.compile(r"\\boxed\{[^{}]*\}")
SENTENCES = re.compile(r"(?<=[.!?])\s+|;\s*|\n+")
CLAUSES = re.compile(r"[,:]\s+|\s+(?:but|because|since|while|whereas|although|that)\s+")
NOT_ASSERTED = re.compile(
    r"\?\s*$|\b(?:check|look|zoom|next|first|begin|start|want|let me|should|would|whether|if|may"
    r"|might|could|perhaps|maybe|expect(?:ed)?|too wide|narrow it|cannot|not testable|needs?)\b",
    re.IGNORECASE,
)
RANGE = re.compile(
    r"(?P<low>\d{3,5}(?:\.\d+)?)\s*(?:Å\s*)?(?:to|and|-|–|—)\s*(?P<high>\d{3,5}(?:\.\d+)?)(?:\s*Å)?"
)
SNR = re.compile(
    r"(?:\bS/N|signal-to-noise(?: ratio)?)(?: per pixel)?(?: is| of|:| about| =)?\s*"
    r"(?P<number>\d+(?:\.\d+)?)"
)
EDGE_OF_DATA = re.compile(
    r"\b(?:ends?|begins?|starts?|stops?) (?:at|near) (?P<number>\d{4,5}(?:\.\d+)?)(?:\s*Å)?"
)
NUMBER = re.compile(
    r"(?<![\w.])(?P<number>[-+]?\d+(?:\.\d+)?)(?:\s*(?P<unit>Å|km/s|per cent|percent|%|sigma|σ))?"
    r"(?P<noun>\s+(?!for\b|and\b|but\b|with\b|over\b)[a-z]{3,})?"
)
OF_THE_WHOLE: tuple[tuple[re.Pattern[str], Quantity], ...]
OF_THE_WHOLE = ((SNR, "snr"), (EDGE_OF_DATA, "coverage"))
# A number as the tool prints it beside a picture: `Hα (--) -60`.
QUOTE = re.compile(
    rf"(?:^|(?<=:\s))[^:;()]+ (?:{'|'.join(map(re.escape, MARKS))}) -?\d+(?:\.\d+)?(?: Å| km/s)?"
)

COLOUR = re.compile(
    r"\b(?:(?P<blue>rises to the blue|blue continuum|climbs towards the blue|continuum is blue)"
    r"|(?P<flat>roughly flat|continuum is flat|flat continuum)"
    r"|(?P<red>falls to the blue|red continuum|highest in the red|continuum is red))\b",
    re.IGNORECASE,
)
ABOVE = re.compile(r"(?:above|over|more than|at least|exceeds|wider than|larger than|>|≥)\s*$")
BELOW = re.compile(r"(?:below|under|less than|at most|narrower than|smaller than|<|≤)\s*$")
WIDTH = re.compile(
    r"\bwide\b|(?<!equivalent )\bwidth\b|\bFWHM\b|\bbroad\b|\bhalf (?:depth|maximum)\b"
)
VELOCITY = re.compile(r"\b(?:velocity|moves|moving|radial|shifted)\b")
SEPARATION = re.compile(r"\b(?:apart|separat\w+|split)\b")
NEGATION = re.compile(
    r"\b(?:no(?! (?:wider|more|less|larger|narrower|longer|doubt))|not|without|lacks?|absent"
    r"|missing|nothing at|neither|nor|absence)\b",
    re.IGNORECASE,
)
EMISSION = re.compile(r"\b(?:in emission|emission|emits?|emitting)\b", re.IGNORECASE)
ABSORPTION = re.compile(r"\b(?:in absorption|absorption|absorbed|absorbs)\b", re.IGNORECASE)
PRESENT = re.compile(
    r"\b(?:is there|are there|present|seen|visible|detected|appears?|strong|deep|clear)\b",
    re.IGNORECASE,
)
SMALL_COUNT = 12


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim; any of `features` may confirm it, and `value` is the number as written."""

    text: str
    quantity: Quantity
    features: tuple[Feature, ...] = ()
    value: float = 0.0
    rounding: float = 0.0  # half a unit of the last written digit
    compare: Compare = "is"
    state: State = ""
    window: Window | None = None
    is_plan: bool = False  # whether it announces the next window
    quote: str = ""  # the text printed by the tool that it repeats


def claims_of(text: str) -> list[Claim]:
    """The claims in one turn's thought or answer."""
    found: list[Claim] = []
    last: Mention | None = None
    for sentence in sentences_of(text):
        named = find_mentions(sentence)
        found += _sentence_claims(sentence, named, last)
        last = named[-1] if named else last
        if len(found) > MAX_CLAIMS:
            break
    return found[:MAX_CLAIMS]


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text, without its box and in one spelling."""
    for sentence in SENTENCES.split(normalize_spelling(BOX.sub("", text))):
        for start in range(0, len(sentence), MAX_SENTENCE):
            if piece := sentence[start : start + MAX_SENTENCE].strip():
                yield piece


def _sentence_claims(
    sentence: str, named: tuple[Mention, ...], last: Mention | None
) -> Iterator[Claim]:
    used = [(mention.start, mention.end) for mention in named]
    for match in QUOTE.finditer(sentence):
        used.append(match.span())
        yield Claim(text=sentence, quantity="quote", quote=match.group())
    for pattern, quantity in OF_THE_WHOLE:
        for match in pattern.finditer(sentence):
            if _is_free(match, used):
                used.append(match.span())
                value, rounding = _value(match["number"])
                yield Claim(text=sentence, quantity=quantity, value=value, rounding=rounding)
    for match in RANGE.finditer(sentence):
        if _is_free(match, used) and float(match["low"]) < float(match["high"]):
            used.append(match.span())
            window = float(match["low"]), float(match["high"])
            plan = match.group().endswith("Å") and NOT_ASSERTED.search(sentence) is not None
            yield Claim(text=sentence, quantity="window", window=window, is_plan=plan)
    for match in COLOUR.finditer(sentence):
        colour = {"blue": 1.0, "flat": 0.0, "red": -1.0}[match.lastgroup or "flat"]
        yield Claim(text=sentence, quantity="colour", value=colour)
    for match in NUMBER.finditer(sentence):
        if _is_free(match, used, group="number"):
            claim = _number_claim(sentence, match, named, last)
            if claim is not None:
                yield claim
    if not NOT_ASSERTED.search(sentence):
        yield from _state_claims(sentence, named)


def _is_free(match: re.Match[str], used: list[tuple[int, int]], group: str | int = 0) -> bool:
    start, end = match.span(group)
    return all(end <= first or last <= start for first, last in used)


def _value(number: str) -> tuple[float, float]:
    digits = len(number.partition(".")[2])
    return float(number), 0.5 * 10.0**-digits


def _number_claim(
    sentence: str, match: re.Match[str], named: tuple[Mention, ...], last: Mention | None
) -> Claim | None:
    """The claim of one number; None for a plain count such as `3 lines`."""
    value, rounding = _value(match["number"])
    unit, noun = match["unit"] or "", match["noun"]
    if not unit and noun and value.is_integer() and 0 <= value <= SMALL_COUNT:
        return None
    before = [mention for mention in named if mention.end <= match.start()]
    after = [mention for mention in named if mention.start >= match.end("number")]
    owner = before[-1] if before else after[0] if after else last
    around = _clause(sentence, match.start())
    quantity: Quantity = _quantity(unit, around, owner)
    if "over" in around and len(before) >= 2 and not unit:
        quantity = "ratio"
    if quantity == "step" and unit in ("per cent", "percent", "%"):
        value, rounding = value / 100, rounding / 100
    lead = sentence[: match.start()]
    return Claim(
        text=sentence,
        quantity=quantity,
        features=owner.features if owner is not None else (),
        value=value,
        rounding=rounding,
        compare="above" if ABOVE.search(lead) else "below" if BELOW.search(lead) else "is",
    )


def _quantity(unit: str, around: str, owner: Mention | None) -> Quantity:
    if unit == "km/s":
        if VELOCITY.search(around):
            return "velocity"
        return "separation" if SEPARATION.search(around) else "width_kms"
    if unit in ("sigma", "σ"):
        return "sigma"
    if owner is None:
        return "unknown"
    if unit in ("per cent", "percent", "%"):
        return "step"
    if unit == "Å":
        widths = any(feature.id.endswith("_D2") for feature in owner.features)
        return "width" if WIDTH.search(around) and not widths else "strength"
    if any(feature.is_edge for feature in owner.features):
        return "step"
    return "strength" if any(not feature.is_line for feature in owner.features) else "unknown"


def _clause(sentence: str, at: int) -> str:
    """The clause around a position and the one before it, which may name the feature."""
    start, before = 0, 0
    for cut in CLAUSES.finditer(sentence):
        if cut.start() >= at:
            return sentence[before : cut.start()]
        before, start = start, cut.end()
    return sentence[before:]


def _state_claims(sentence: str, named: tuple[Mention, ...]) -> Iterator[Claim]:
    """The state of each line and band head that its clause describes."""
    waiting: list[Mention] = []
    start = 0
    ends = [(cut.start(), cut.end()) for cut in CLAUSES.finditer(sentence)]
    for end, following in (*ends, (len(sentence), len(sentence))):
        here = [mention for mention in named if start <= mention.start and mention.end <= end]
        words = _text_between(sentence, start, end, here)
        state = _state(words)
        if here and not state and not words.strip(" and.or"):
            # In `Hα, Hβ and Hγ are absorbed` the whole list gets the last one's state.
            waiting += here
        elif state:
            for mention in (*waiting, *here):
                yield Claim(text=sentence, quantity="state", features=mention.features, state=state)
            waiting = []
        else:
            waiting = []
        start = following


def _text_between(sentence: str, start: int, end: int, named: list[Mention]) -> str:
    pieces, at = [], start
    for mention in named:
        pieces.append(sentence[at : mention.start])
        at = mention.end
    return "".join((*pieces, sentence[at:end]))


def _state(words: str) -> State:
    emits, absorbs = bool(EMISSION.search(words)), bool(ABSORPTION.search(words))
    if NEGATION.search(words):
        if emits != absorbs:
            return "no emission" if emits else "no absorption"
        return "absent"
    if emits != absorbs:
        return "emission" if emits else "absorption"
    return "present" if PRESENT.search(words) and not emits else ""
