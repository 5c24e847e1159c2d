"""Detect the encoding of a text file, and decode it whatever its bytes are."""

import codecs
import re

from app.core.errors import counted_text

_HIGH = re.compile(rb"[\x80-\xff]+")
MIN_PAIRED = 0.8
"""Fraction of non-ASCII bytes that must come in runs of even length in GB18030 text."""
MIN_CHINESE = 0.9  # fraction of the decoded non-ASCII characters that must be Chinese
NAMES = {"cp1252": "Windows-1252 (Western European)", "gb18030": "GB18030 (Chinese)"}


def encoding_of(sample: bytes) -> str:
    """'utf-8', 'utf-16', 'gb18030' or 'cp1252'; `sample` is the first lines, none of them cut."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        sample.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return fallback_of(sample)


def fallback_of(raw: bytes) -> str:
    """The encoding of bytes that are not UTF-8."""
    runs = _HIGH.findall(raw)
    paired = sum(len(run) for run in runs if len(run) % 2 == 0)
    if paired < MIN_PAIRED * sum(map(len, runs)):
        return "cp1252"
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError:
        return "cp1252"
    non_ascii = [character for character in text if character > "\x7f"]
    chinese = sum(map(_is_chinese, non_ascii))
    return "gb18030" if chinese >= MIN_CHINESE * len(non_ascii) else "cp1252"


def _is_chinese(character: str) -> bool:
    return "一" <= character <= "鿿" or "　" <= character <= "〿" or "！" <= character <= "￮"


class Decoder:
    """Decodes blocks of lines. `encoding` is that of the start; `other_lines` were not UTF-8."""

    def __init__(self, encoding: str) -> None:
        self.fallback = encoding if encoding in NAMES else ""
        self.other_lines = 0

    def text(self, block: bytes) -> str:
        if self.fallback != "gb18030":  # GB18030 text may be valid UTF-8 by chance
            try:
                return block.decode("utf-8")
            except UnicodeDecodeError:
                pass
        return "".join(map(self._line, block.splitlines(keepends=True)))

    def _line(self, line: bytes) -> str:
        if line.isascii():
            return line.decode("ascii")
        if self.fallback != "gb18030":
            try:
                return line.decode("utf-8")
            except UnicodeDecodeError:
                self.fallback = self.fallback or fallback_of(line)
        self.other_lines += 1
        try:
            return line.decode(self.fallback)
        except UnicodeDecodeError:
            if self.fallback == "gb18030":
                return line.decode("gb18030", "replace")
            return line.decode("latin-1")

    def warnings(self) -> list[str]:
        if not self.other_lines:
            return []
        name = NAMES[self.fallback]
        return [f"{counted_text(self.other_lines, 'line')} not in UTF-8, read as {name}"]
