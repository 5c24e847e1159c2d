"""Finds unsupported claims in an agent's text: lines in windows it never looked at.

It would rather miss one than raise a false alarm, so it ignores plans, lines called untestable,
species without a wavelength, and numbers that may mean something else.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from agent.spectra.lines import builtin_lines
from agent.spectra.spectrum import Window

MAX_TEXT = 20_000
BLUEST_A, REDDEST_A = 3000.0, 11000.0
MARGIN_A = 5.0
MARGIN = 0.004
"""Fraction of the wavelength (1,200 km/s), for broad lines, stellar motion, air wavelengths."""

_NUMBER = r"\d{4,5}(?:\.\d{1,3})?"
_AND = r"\s*(?:,|/|&|and|or|to|-|–|—|,\s*and)\s*"
_ANGSTROM = re.compile(
    rf"(?<![\w.])({_NUMBER})(?:{_AND}({_NUMBER}))?\s*(?:Å|Å|A\b|[Aa]ngstroms?\b)"
)
_SENTENCE = re.compile(r"(?<=[.!?;\n])\s+")
_NO_CLAIM = re.compile(
    r"\b(?:next|first|then)\b[^.;]{0,20}\b(?:look|zoom|check|inspect|examine)"
    r"|\b(?:I(?:'ll| will| should| need| want| would)|let me|let's|should|must)\b"
    r"|\bto (?:check|verify)\b"
    r"|\b(?:not testable|untestable|cannot|can't|could not|not covered|outside|beyond|no data"
    r"|without a look|not looked)\b",
    re.IGNORECASE,
)
_NAMES = {
    r"H[\s_-]?(?:α|alpha)": "H_alpha",
    r"H[\s_-]?(?:β|beta)": "H_beta",
    r"H[\s_-]?(?:γ|gamma)": "H_gamma",
    r"H[\s_-]?(?:δ|delta)": "H_delta",
    r"H[\s_-]?(?:ε|epsilon)": "H_epsilon",
    r"H[\s_-]?8": "H_8",
    r"H[\s_-]?9": "H_9",
    r"H[\s_-]?10": "H_10",
    r"Ca\s?(?:II\s?)?K": "CaII_K",
    r"Ca\s?II\s?H": "CaII_H",
    r"Na\s?(?:I\s?)?D": "NaI_D",
}
"""Spellings of lines that are named without a wavelength."""


@dataclass(frozen=True)
class Claim:
    """Text that names a wavelength or a range; `start` and `end` are its slice of the text."""

    start: int
    end: int
    text: str
    range: Window  # in air or vacuum, as the agent gave it


def unsupported(text: str, looked_at: Sequence[Window]) -> tuple[Claim, ...]:
    """Return the claims that no window covers, each once; windows in the frame of the text."""
    text = text[:MAX_TEXT]
    found: dict[str, Claim] = {}
    for claim in claims(text):
        if not any(covers(window, claim.range) for window in looked_at):
            found.setdefault(claim.text.casefold(), claim)
    return tuple(found.values())


def claims(text: str) -> Iterator[Claim]:
    """Find all lines and optical wavelengths in the order of the text."""
    start = 0
    for sentence in _SENTENCE.split(text):
        start = text.index(sentence, start)
        if not _NO_CLAIM.search(sentence):
            yield from sorted(_claims_of(sentence, start), key=lambda claim: claim.start)
        start += len(sentence)


def _claims_of(sentence: str, offset: int) -> Iterator[Claim]:
    taken: set[int] = set()  # the characters within a claim found already
    for match in _species().finditer(sentence):
        taken.update(range(*match.span()))
        for number in re.finditer(_NUMBER, match["numbers"]):
            start = match.start("numbers") + number.start()
            end = start + len(number.group())
            first = match.start() if number.start() == 0 else start
            name = f"{match['species']} {number.group()}"
            yield from _claim(offset + first, offset + end, name, [float(number.group())])
    for match in _names().finditer(sentence):
        if taken.isdisjoint(range(*match.span())):
            taken.update(range(*match.span()))
            assert match.lastindex is not None, "each spelling is a group"
            line = builtin_lines()[list(_NAMES.values())[match.lastindex - 1]]
            start, end = (offset + index for index in match.span())
            yield from _claim(start, end, match.group(), [line.wavelength])
    for match in _ANGSTROM.finditer(sentence):
        if taken.isdisjoint(range(*match.span())):
            start, end = (offset + index for index in match.span())
            numbers = [float(number) for number in match.groups() if number]
            yield from _claim(start, end, match.group(), numbers)


def _claim(start: int, end: int, text: str, numbers: Sequence[float]) -> Iterator[Claim]:
    low, high = min(numbers), max(numbers)
    if low >= BLUEST_A and high <= REDDEST_A:
        yield Claim(start, end, text, (low, high))


def covers(window: Window, claimed: Window) -> bool:
    margin = MARGIN_A + MARGIN * claimed[1]
    return window[0] - margin <= claimed[1] and claimed[0] <= window[1] + margin


@cache
def _names() -> re.Pattern[str]:
    spelled = "|".join(f"({spelling})" for spelling in _NAMES)
    return re.compile(rf"(?<![\w\[])(?:{spelled})(?![\w\]])", re.IGNORECASE)


@cache
def _species() -> re.Pattern[str]:
    lines = [line for group in builtin_lines().sets for line in group.lines]
    names = {line.species for line in lines if line.species}
    names |= {line.label.rsplit(" ", 1)[0] for line in lines if re.search(r" \d{4}", line.label)}
    names |= {name.split()[0] for name in names if re.fullmatch(r"[A-Z][a-z] I+", name)}
    plain = sorted((name for name in names if not re.search(r"\d{3}|\(", name)), key=len)
    spelled = "|".join(re.escape(name).replace(r"\ ", r"\s?") for name in reversed(plain))
    return re.compile(
        rf"(?<![\w\[])(?P<species>{spelled})\s*(?:λ+\s*|(?:band|edge|head|step)\s+at\s+)?"
        rf"(?P<numbers>{_NUMBER}(?:{_AND}{_NUMBER})*)(?![\w%])"
    )
