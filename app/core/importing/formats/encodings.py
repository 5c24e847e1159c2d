"""Which encoding a text is in, and its lines as text whatever they hold."""

from __future__ import annotations

import codecs
import re

from app.core.importing.formats.contents import counted

_HIGH = re.compile(rb"[\x80-\xff]+")
PAIRED = 0.8
"""Part of the bytes beyond ASCII that come in pairs in Chinese text ..."""
CHINESE = 0.9
"""... and of the characters so read that are Chinese."""
NAMES = {"cp1252": "Windows-1252 (Western European)", "gb18030": "GB18030 (Chinese)"}


def encoding_of(sample: bytes) -> str:
    """'utf-8', 'utf-16', 'gb18030' or 'cp1252', from whole lines of the beginning."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        sample.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return fallback_of(sample)


def fallback_of(raw: bytes) -> str:
    """For bytes that are not UTF-8."""
    runs = _HIGH.findall(raw)
    paired = sum(len(run) for run in runs if len(run) % 2 == 0)
    if paired < PAIRED * sum(map(len, runs)):
        return "cp1252"
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError:
        return "cp1252"
    beyond = [character for character in text if character > "\x7f"]
    chinese = sum(map(_is_chinese, beyond))
    return "gb18030" if chinese >= CHINESE * len(beyond) else "cp1252"


def _is_chinese(character: str) -> bool:
    return "一" <= character <= "鿿" or "　" <= character <= "〿" or "！" <= character <= "￮"


class Decoder:
    """`encoding` is that of the beginning; `strange_lines` counts those that were not UTF-8."""

    def __init__(self, encoding: str) -> None:
        self.fallback = encoding if encoding in NAMES else ""
        self.strange_lines = 0

    def text(self, block: bytes) -> str:
        """Of whole lines."""
        if self.fallback != "gb18030":  # which may pass for UTF-8 here and there
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
        self.strange_lines += 1
        try:
            return line.decode(self.fallback)
        except UnicodeDecodeError:
            if self.fallback == "gb18030":
                return line.decode("gb18030", "replace")
            return line.decode("latin-1")

    def warnings(self) -> list[str]:
        if not self.strange_lines:
            return []
        name = NAMES[self.fallback]
        return [f"not UTF-8: {counted(self.strange_lines, 'line')}, read as {name}"]
