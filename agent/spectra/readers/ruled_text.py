"""Rewrites tables ruled with | (VizieR, IPAC) or described byte by byte (CDS, AAS) with tabs."""

from __future__ import annotations

import re
from itertools import islice, pairwise

from agent.spectra.readers.base import Malformed

MAX_LINE = 300
MAX_HEAD = 2000
MAX_COLUMNS = 256
_COLUMN = re.compile(r"\s*(?:(\d{1,5})\s*-)?\s*(\d{1,5})\s+[AIFEDaifed][\d.]*\s+(\S+)\s+(\S+)")
_RULE = re.compile(r"[-=]{6,}")
MAX_CELLS = 3_000_000
NO_UNIT = "---"


def with_tabs(lines: list[str]) -> list[str]:
    """Lines of names, units and numbers with a tab between two cells; other tables as they are."""
    head = lines[:MAX_HEAD]
    if any(line.lstrip("# ").lower().startswith("byte-by-byte description") for line in head):
        return _byte_by_byte(lines)
    first = next((line for line in head if line.strip() and line[0] not in "#\\%!;"), "")
    if first.startswith("|") and any(_is_ipac_row(line) for line in head):
        return _ipac(lines)
    return _ruled(lines, first.startswith("|")) if "|" in first else lines


def _byte_by_byte(lines: list[str]) -> list[str]:
    """The columns are described in lines such as `1- 8 F8.2 0.1nm lambda ? Wavelength`."""
    rules = [number for number, line in enumerate(lines) if _RULE.match(line)]
    end = rules[-1] if rules else 0
    matches = (_COLUMN.match(line[:MAX_LINE]) for line in islice(lines, min(end, MAX_HEAD)))
    columns = [match.groups() for match in matches if match][:MAX_COLUMNS]
    if not columns:
        return lines
    cuts = [slice(int(first or last) - 1, int(last)) for first, last, _, _ in columns]
    names = [name for *_, name in columns]
    units = [unit for _, _, unit, _ in columns]
    return _joined([names, units], lines[end + 1 :], cuts)


def _ipac(lines: list[str]) -> list[str]:
    """Up to four lines between | hold names, types, units and nulls; numbers stand below them."""
    heads = [line for line in lines[:MAX_HEAD] if line.startswith("|")][:4]
    marks = [at for at, letter in enumerate(heads[0]) if letter == "|"][: MAX_COLUMNS + 1]
    cuts = [slice(left, right + 1) for left, right in pairwise(marks)]
    cells = [[line[cut].strip("| ") for cut in cuts] for line in heads]
    units = [unit or NO_UNIT for unit in cells[2]] if len(cells) > 2 else [NO_UNIT] * len(cuts)
    rows = [line for line in lines if line[:1] not in ("|", "\\")]
    return _joined([cells[0], units], rows, cuts)


def _is_ipac_row(line: str) -> bool:
    return line.startswith(" ") and "|" not in line and bool(line.strip())


def _ruled(lines: list[str], has_frame: bool) -> list[str]:
    """Drop lines of dashes, and the outer | where the table has a frame."""
    kept = []
    for line in lines:
        if "--" in line and not line.strip("-+=:| \t"):
            continue
        if not line.startswith("#"):
            line = line.strip()
            if has_frame:
                line = line.removeprefix("|").removesuffix("|")
            line = line.replace("|", "\t")
        kept.append(line)
    return kept


def _joined(heads: list[list[str]], rows: list[str], cuts: list[slice]) -> list[str]:
    if len(rows) * len(cuts) > MAX_CELLS:
        raise Malformed(f"a table of fixed columns with more than {MAX_CELLS} cells")
    cells = (
        [row[cut].strip("| ").replace("\t", " ") for cut in cuts] for row in rows if row.strip()
    )
    return ["\t".join(each) for each in (*heads, *cells)]
