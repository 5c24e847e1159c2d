"""Text that a format cannot hold as it is, written so that it can be had back.

Percent: as in a URL, of UTF-8, for whole columns at a time; a % or + in such a column is escaped,
too, so `urllib.parse.unquote` and TOPCAT's `urlDecode` both undo it. The header names the columns.
Apostrophe: in CSV alone, before what a spreadsheet would take for a formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

PERCENT = "percent-encoded UTF-8"

# Not the ASCII that FITS allows; it also ignores blanks at the end.
_NOT_FITS = re.compile(r"[^ -~]| +\Z|[%+]")
# What XML may not hold or changes, what tables of text break lines at, what is stripped.
_NOT_XML = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]|\A\s+|\s+\Z|[%+]"
)
_HARMFUL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")

Escape = Callable[[str], str]

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n']")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def fits_percent(text: str) -> str:
    return _NOT_FITS.sub(_encoded, text)


def fits_percent_all(text: str) -> str:
    """Blanks, too: astropy drops them where a column's texts differ in length."""
    return fits_percent(text).replace(" ", "%20")


def xml_percent(text: str) -> str:
    return _NOT_XML.sub(_encoded, text)


def fits_words(text: str) -> str:
    """For a header, where % and + are left alone unless there is something to encode."""
    return text if is_fits_text([text], text) else fits_percent(text)


def xml_words(text: str) -> str:
    """For attributes and descriptions: what XML does not know becomes a question mark."""
    return _HARMFUL.sub("?", text)


def is_fits_text(texts: Sequence[str], joined: str) -> bool:
    """Whether FITS can hold all of them as they are. `joined`: they end to end."""
    if not (joined.isascii() and joined.isprintable()):
        return False
    return " " not in joined or " \n" not in "\n".join((*texts, ""))


def is_xml_text(texts: Sequence[str], joined: str) -> bool:
    """Whether VOTable and ECSV give all of them back as they are."""
    if not (joined.isascii() and joined.isprintable()) and _HARMFUL.search(joined):
        return False
    return list(map(str.strip, texts)) == list(texts)


def unformulaed(text: str) -> str:
    """With an apostrophe before what a spreadsheet would run, and before an apostrophe.

    Take away one leading apostrophe to have it back. Numbers, negative ones too, stay as they are.
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def _encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found.group().encode("utf-8", "surrogatepass"))
