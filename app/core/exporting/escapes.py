"""Reversible escaping of text that a file format cannot represent.

Percent-encoding of UTF-8, as in URLs, for whole columns; % and + are encoded too, so that both
`urllib.parse.unquote` and TOPCAT's `urlDecode` reverse it. The header names the encoded columns.
In CSV only, an apostrophe before text that a spreadsheet would run as a formula.
"""

import re
from collections.abc import Callable, Sequence

PERCENT = "percent-encoded UTF-8"

# Anything but printable ASCII; also trailing blanks, which FITS readers drop.
_NOT_FITS = re.compile(r"[^ -~]| +\Z|[%+]")
# Characters that XML forbids or changes, line breaks of text tables, and outer white space.
_NOT_XML = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]|\A\s+|\s+\Z|[%+]"
)
_HARMFUL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")

Escape = Callable[[str], str]

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n']")
_DIGITS = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(_DIGITS)
# Where a spreadsheet splits at ; or tabs, a quote within a cell is none, and its lines are rows.
_SPLITS = r";\t\r\n\v\f\x85\u2028\u2029"
_AFTER_SPLIT = re.compile(
    rf"([{_SPLITS}])(?=\s*[=+\-@＝＋－＠]|')(?!\s*{_DIGITS}\s*(?:[{_SPLITS}]|\Z))"
)


def fits_percent(text: str) -> str:
    return _NOT_FITS.sub(_percent_encode, text)


def fits_percent_all(text: str) -> str:
    """Also encode blanks: astropy drops trailing ones in columns of variable length."""
    return fits_percent(text).replace(" ", "%20")


def xml_percent(text: str) -> str:
    return _NOT_XML.sub(_percent_encode, text)


def fits_header_text(text: str) -> str:
    """Text for a header; % and + are encoded only if something else must be."""
    return text if is_fits_text([text], text) else fits_percent(text)


def replace_invalid_xml(text: str) -> str:
    """For attributes and descriptions: replace characters that XML forbids by question marks."""
    return _HARMFUL.sub("?", text)


def is_fits_text(texts: Sequence[str], joined: str) -> bool:
    """Whether FITS can hold all texts unchanged. `joined` is their concatenation."""
    if not (joined.isascii() and joined.isprintable()):
        return False
    return " " not in joined or " \n" not in "\n".join((*texts, ""))


def is_xml_text(texts: Sequence[str], joined: str) -> bool:
    """Whether VOTable and ECSV readers return all texts unchanged."""
    if not (joined.isascii() and joined.isprintable()) and _HARMFUL.search(joined):
        return False
    return list(map(str.strip, texts)) == list(texts)


def escape_formula(text: str) -> str:
    """Put an apostrophe before a formula and before a leading apostrophe, also behind ; or a tab.

    Remove one apostrophe at each such place to undo it. Numbers are unchanged.
    """
    text = _AFTER_SPLIT.sub(r"\1'", text)
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def _percent_encode(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found.group().encode("utf-8", "surrogatepass"))
