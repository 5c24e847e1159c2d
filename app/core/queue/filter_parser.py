"""Filters as people type them: `verdict:unjudged p_yes>0.5 flag:star own.mag_r<18 "binary"`.

Conditions side by side must all hold; `or`, `not` (or a leading minus) and parentheses work as
usual. A word alone is searched in names, comments and the list's own columns. A column of the list
needs `own.` only where a field has its name. `gaia.bp_rp<0.5` compares what a service said, and
`gaia=failed` whether it answered. `subclass=DA` is the reviewer's sub-class of any level, unless
the list has such a column; `mine.subclass` and `mine.NAME`, for a field, always are. Below they
are written as text that is read back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, assert_never, get_args

from app.core.queue import filters
from app.core.queue.column_values import MINE, SUBCLASS, is_of_opinion, known_name, parts_of
from app.core.queue.filters import MAX_DEPTH, Filter, FilterError, NumberCompare, finite
from app.core.session.records import Verdict
from app.services.catalogues.service import all_services

MAX_LENGTH = 2000
MAX_NAMED = 12  # columns of the list that an error names

Choice = TypeVar("Choice", bound=str)

RANGE = re.compile(r"(.+?)\.\.(.+)")
MODEL = re.compile(r"(.+)#([0-9a-f]{64}|)")
PLAIN = re.compile(r"[^\W\d_][\w.]*")  # text that never needs quotes

COMPARISONS: dict[str, NumberCompare] = {":": "=", **{c: c for c in get_args(NumberCompare)}}
VERDICT_WORDS: dict[str, Verdict] = {str(each).lower(): each for each in Verdict}
FIELDS = (
    *("verdict", "any", "agent", "flag", "disagree", "has", "list", "inspected", "assigned"),
    *dict.fromkeys((*filters.NUMBER_FIELDS, *filters.TEXT_FIELDS)),
    "own.COLUMN",
)

TOKEN = re.compile(
    r"""
    (?P<space> \s+ )
  | (?P<open> \( )
  | (?P<close> \) )
  | (?P<compare> != | <= | >= | [:=<>~] )
  | (?P<quoted> " (?: [^"\\] | \\. )* " )
  | (?P<word> (?: [^\s()"!:=<>~] | !(?!=) )+ )
    """,
    re.VERBOSE,
)


def parse_filter(text: str, own_columns: Sequence[str] = ()) -> Filter:
    """Parse a filter; an empty text matches everything. Raises FilterError.

    `own_columns` are the names that may be used without `own.`.
    """
    if len(text) > MAX_LENGTH:
        raise FilterError(f"a filter is at most {MAX_LENGTH} characters long")
    parser = _Parser(tokens(text), len(text), own_columns)
    return filters.checked(parser.parse())


class _Parser:
    """Recursive descent: `or` binds less tightly than `and`, which binds less than `not`."""

    def __init__(self, tokens: list[Token], end: int, own_columns: Sequence[str]) -> None:
        self.tokens = tokens
        self.own_columns = own_columns
        self.index = 0
        self.end = Token("end", "", end, False)
        self.depth = 0

    def parse(self) -> Filter:
        if not self.tokens:
            return filters.EVERYTHING
        tree = self._or_expression()
        if self._next.kind != "end":
            refuse("this ) has no matching (", self._next.position)
        return tree

    @property
    def _next(self) -> Token:
        return self.tokens[self.index] if self.index < len(self.tokens) else self.end

    def _take(self) -> Token:
        token = self._next
        self.index += 1
        return token

    def _is_keyword(self, word: str) -> bool:
        token = self._next
        return token.kind == "word" and token.text.lower() == word

    def _or_expression(self) -> Filter:
        terms = [self._and_expression()]
        while self._is_keyword("or"):
            self._take()
            terms.append(self._and_expression())
        return terms[0] if len(terms) == 1 else filters.Or(tuple(terms))

    def _and_expression(self) -> Filter:
        terms = [self._not_expression()]
        while not self._is_keyword("or") and self._next.kind not in ("close", "end"):
            if self._is_keyword("and"):
                self._take()
            terms.append(self._not_expression())
        return terms[0] if len(terms) == 1 else filters.And(tuple(terms))

    def _not_expression(self) -> Filter:
        self.depth += 1
        if self.depth > 2 * MAX_DEPTH:
            refuse(f"nested more than {MAX_DEPTH} deep", self._next.position)
        try:
            return self._primary()
        finally:
            self.depth -= 1

    def _primary(self) -> Filter:
        token = self._take()
        if token.kind == "open":
            tree = self._or_expression()
            if self._take().kind != "close":
                refuse("this ( has no matching )", token.position)
            return tree
        if token.kind == "quoted" and self._names_column(token):
            return self._condition(token)
        if token.kind == "quoted":
            return _with_position(token, lambda: filters.Anywhere(token.text))
        if token.kind != "word" or token.text.lower() in ("and", "or"):
            is_end = token.kind == "end"
            message = "a condition is missing" if is_end else f"unexpected {token.text!r}"
            refuse(message, token.position)
        if token.text.lower() in ("not", "-"):
            return filters.Not(self._not_expression())
        if token.text.startswith("-"):
            self.index -= 1
            self.tokens[self.index] = Token("word", token.text[1:], token.position + 1, False)
            return filters.Not(self._not_expression())
        return self._condition(token)

    def _condition(self, token: Token) -> Filter:
        name, low = token.text, token.text.lower()
        column = None
        if low == "own." and self._next.kind == "quoted" and self._next.is_joined:
            column = self._take().text
        elif low.startswith("own."):
            column = name[4:]
        elif token.kind == "quoted" or low not in FIELDS:
            column = self._own_column(name) if self._next.kind == "compare" else None
        if self._next.kind != "compare":
            if column is not None:
                refuse(f"own.{column} needs = != < > <= >= or : and a value", token.position)
            return _with_position(token, lambda: filters.Anywhere(name))
        compare = self._take()
        value = self._take()
        if value.kind not in ("word", "quoted"):
            refuse(f"a value is missing after {name}{compare.text}", compare.position)
        if column is not None:
            return _with_position(token, lambda: _own(column, compare.text, value))
        if low in FIELDS:
            return _with_position(token, lambda: _field_condition(low, compare.text, value))
        of_catalogues = [parts[0] for each in self.own_columns if (parts := parts_of(each))]
        if low not in all_services() and low not in of_catalogues:
            refuse(_unknown(name, self.own_columns), token.position)
        return _with_position(token, lambda: _state(low, compare.text, value.text))

    def _names_column(self, token: Token) -> bool:
        """Whether a quoted text is the name of a column with a condition, as `"my class":CV`."""
        has_condition = self._next.kind == "compare" and self._next.is_joined
        return has_condition and self._own_column(token.text) is not None

    def _own_column(self, name: str) -> str | None:
        """The column of this name; its letters may be small or capital if that is unambiguous."""
        if name in self.own_columns:
            return name
        if known_name(name) is not None:
            return known_name(name)
        if is_of_opinion(name.lower()):
            return name.lower()
        mine = f"{MINE}{name.lower()}"
        if mine == SUBCLASS or mine in self.own_columns:
            return mine
        alike = [each for each in self.own_columns if each.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None


def _unknown(name: str, own_columns: Sequence[str]) -> str:
    text = f"unknown field {name[:40]!r}; choose from {', '.join(FIELDS)}"
    named = [each[:40] for each in own_columns[:MAX_NAMED]]
    more = ", …" if len(own_columns) > MAX_NAMED else ""
    return f"{text}; columns of the list: {', '.join(named)}{more}" if named else text


def _state(service: str, compare: str, word: str) -> Filter:
    if compare == "!=":
        return filters.Not(_state(service, "=", word))
    if compare not in (":", "="):
        raise FilterError(f"{service} takes only : or = or !=")
    return filters.EvidenceState(service, _choice(word, filters.EVIDENCE_WORDS, service))


def _field_condition(name: str, compare: str, value: Token) -> Filter:
    if compare == "!=":
        return filters.Not(_field_condition(name, "=", value))
    if name == "comment" or name in filters.TEXT_FIELDS:
        return _words(name, compare, value.text)
    if name in filters.NUMBER_FIELDS:
        return _number(name, compare, value.text)
    if compare not in (":", "="):
        raise FilterError(f"{name} takes only : or !=")
    if name in WORDS:
        make, words = WORDS[name]
        return make(_choice(value.text, words, name))
    return OTHERS[name](value.text)


def _verdict(word: str) -> Verdict | None:
    low = word.lower()
    if low in ("unjudged", "none"):
        return None
    if low not in VERDICT_WORDS:
        raise FilterError(f"a verdict is {', '.join(VERDICT_WORDS)} or unjudged, not {word[:40]!r}")
    return VERDICT_WORDS[low]


def _choice(word: str, words: tuple[Choice, ...], field: str) -> Choice:
    for each in words:
        if each == word.lower():
            return each
    raise FilterError(f"{field}: takes {', '.join(words)}, not {word[:40]!r}")


def _in_list(word: str) -> Filter:
    if not (word.isascii() and word.isdecimal() and len(word) < 11):
        raise FilterError(f"a list is given by its number, not {word[:40]!r}")
    return filters.InList(int(word))


def _inspected(word: str) -> Filter:
    match = MODEL.fullmatch(word)
    return filters.InspectedBy(match[1], match[2]) if match else filters.InspectedBy(word)


def _assigned(word: str) -> Filter:
    is_special = word.lower() in (filters.ME, filters.NOBODY)
    return filters.AssignedTo(word.lower() if is_special else " ".join(word.split()))


WORDS: dict[str, tuple[Callable[[Any], Filter], tuple[str, ...]]] = {
    "agent": (filters.AgentVerdict, filters.ANSWERS),
    "disagree": (filters.Disagree, filters.BETWEEN),
    "has": (filters.Has, filters.THINGS),
}
OTHERS: dict[str, Callable[[str], Filter]] = {
    "verdict": lambda word: filters.MyVerdict(_verdict(word)),
    "any": lambda word: filters.AnyVerdict(_verdict(word)),
    "flag": filters.Flag,
    "list": _in_list,
    "inspected": _inspected,
    "assigned": _assigned,
}


def _words(name: str, compare: str, text: str) -> Filter:
    field = _choice(name, filters.TEXT_FIELDS, "text")
    if compare == "=":
        return filters.Words(field, "=", text)
    if compare in (":", "~"):
        return filters.Words(field, "contains", text)
    raise FilterError(f"{name} takes : (contains), = or !=")


def _number(name: str, compare: str, text: str) -> Filter:
    field = _choice(name, filters.NUMBER_FIELDS, "number")
    if compare == "~":
        raise FilterError(f"{name} is a number: it takes : = != < > <= >=")
    ends = RANGE.fullmatch(text)
    if compare == ":" and ends is not None:
        low, high = (_finite(end, name) for end in ends.groups())
        return filters.And((filters.Number(field, ">=", low), filters.Number(field, "<=", high)))
    return filters.Number(field, COMPARISONS[compare], _finite(text, name))


def _own(column: str, compare: str, value: Token) -> Filter:
    if compare == "!=":
        return filters.Not(filters.OwnColumnFilter(column, "=", value.text))
    ends = RANGE.fullmatch(value.text)
    if compare == ":" and value.kind == "word" and ends and None not in map(finite, ends.groups()):
        low, high = ends.groups()
        from_low = filters.OwnColumnFilter(column, ">=", low)
        return filters.And((from_low, filters.OwnColumnFilter(column, "<=", high)))
    if compare in (":", "~"):
        return filters.OwnColumnFilter(column, "contains", value.text)
    return filters.OwnColumnFilter(column, COMPARISONS[compare], value.text)


def _finite(text: str, name: str) -> float:
    value = finite(text)
    if value is None:
        raise FilterError(f"{name} is compared with a number, not {text[:40]!r}")
    return value


def _with_position(token: Token, make: Callable[[], Filter]) -> Filter:
    """Call `make`, adding the token's position to an error."""
    try:
        return make()
    except FilterError as error:
        raise FilterError(str(error), token.position) from error


@dataclass(frozen=True)
class Token:
    kind: str
    text: str  # without quotes and escapes
    position: int
    is_joined: bool  # True if no space separates it from the previous token


def tokens(text: str) -> list[Token]:
    """The words, quoted texts, operators and parentheses of a filter's text."""
    found: list[Token] = []
    position, is_joined = 0, False
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            letter = text[position]
            refuse('a " has no matching "' if letter == '"' else f"unexpected {letter!r}", position)
        kind, piece = match.lastgroup or "", match.group()
        if kind == "quoted":
            piece = re.sub(r"\\(.)", r"\1", piece[1:-1])
        if kind != "space":
            found.append(Token(kind, piece, position, is_joined))
        is_joined = kind != "space"
        position = match.end()
    return found


def refuse(message: str, position: int) -> NoReturn:
    raise FilterError(message, position)


def filter_text(tree: Filter) -> str:
    """The filter as text; empty for a filter that matches everything."""
    return "" if isinstance(tree, filters.Everything) else _written(tree)


def _written(tree: Filter) -> str:
    match tree:
        case filters.Everything():
            return "id>0"
        case filters.And():
            return " ".join(map(_inner, tree.terms))
        case filters.Or():
            return " or ".join(map(_inner, tree.terms))
        case filters.Not():
            return f"not {_inner(tree.term)}"
        case filters.MyVerdict():
            return f"verdict:{_verdict_word(tree.verdict)}"
        case filters.AnyVerdict():
            return f"any:{_verdict_word(tree.verdict)}"
        case filters.AgentVerdict():
            return f"agent:{tree.answer}"
        case filters.Number():
            return f"{tree.field}{tree.compare}{tree.value!r}"
        case filters.Words():
            return f"{tree.field}{_sign(tree.compare)}{_quoted(tree.text)}"
        case filters.OwnColumnFilter():
            return f"own.{_quoted(tree.column)}{_sign(tree.compare)}{_quoted(tree.text)}"
        case filters.EvidenceState():
            return f"{tree.service}={tree.word}"
        case filters.Flag():
            return f"flag:{_quoted(tree.name)}"
        case filters.Anywhere():
            return _always_quoted(tree.text)
        case filters.Disagree():
            return f"disagree:{tree.between}"
        case filters.Has():
            return f"has:{tree.thing}"
        case filters.InList():
            return f"list:{tree.number}"
        case filters.InspectedBy():
            name = tree.model if tree.sha256 is None else f"{tree.model}#{tree.sha256}"
            return f"inspected:{_quoted(name)}"
        case filters.AssignedTo():
            return f"assigned:{_quoted(tree.person)}"
        case _:
            assert_never(tree)


def _inner(tree: Filter) -> str:
    return f"({_written(tree)})" if isinstance(tree, filters.And | filters.Or) else _written(tree)


def _verdict_word(verdict: Verdict | None) -> str:
    return "unjudged" if verdict is None else str(verdict).lower()


def _sign(compare: str) -> str:
    return "~" if compare == "contains" else compare


def _quoted(text: str) -> str:
    return text if PLAIN.fullmatch(text) else _always_quoted(text)


def _always_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
