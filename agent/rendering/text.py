"""Text on the pictures: DejaVu glyphs by FreeType, measured and rasterised once.

Drawing text is most of what a matplotlib picture costs. Here a glyph is shaped once per font
and rasterised once per position within a pixel (64 steps, FreeType's own), and blitted after.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font, LoadFlags, RenderMode

FILES = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
MAX_CACHED_GLYPHS = 30_000
"""Some 300 bytes each; past this the store starts afresh."""
HAS_GLYPH_CALLS = all(hasattr(FT2Font, n) for n in ("_layout", "_render_glyph", "_set_transform"))
"""matplotlib 3.11 has them, outside its public interface; without them `draw_text` serves."""
NO_GLYPH = "\N{WHITE SQUARE}"


@dataclass(frozen=True)
class Font:
    """A size of DejaVu Sans: points at the dots per inch of the picture."""

    points: float
    bold: bool = False
    dpi: float = 80.0

    @property
    def path(self) -> Path:
        return Path(matplotlib.get_data_path(), "fonts", "ttf", FILES[self.bold])

    @property
    def pixels(self) -> float:
        return self.points * self.dpi / 72

    @property
    def properties(self) -> FontProperties:
        return FontProperties(fname=str(self.path), size=self.points)


@dataclass(frozen=True)
class TextRun:
    """One shaped line: (glyph index, pen position in pixels), and its ink around the baseline."""

    text: str
    glyphs: tuple[tuple[int, float], ...]
    width: float
    ascent: float
    descent: float


@dataclass(frozen=True)
class Block:
    """Lines of text stacked; `offsets` are (left, baseline) from the block's lower left corner."""

    runs: tuple[TextRun, ...]
    offsets: tuple[tuple[float, float], ...]
    width: float
    height: float
    ascent: float
    """Of the first line."""
    descent: float
    """Of the last line."""


@dataclass(frozen=True)
class Bitmap:
    """Coverage of one glyph; `left` and `bottom` count pixels from the pen, y upwards."""

    coverage: Any
    left: int
    bottom: int


class _Faces(threading.local):
    """FreeType faces carry state, so every thread opens its own."""

    def __init__(self) -> None:
        self.open: dict[Font, Any] = {}

    def get(self, font: Font) -> Any:
        face = self.open.get(font)
        if face is None:
            face = FT2Font(str(font.path))
            face.set_size(font.points, font.dpi)
            self.open[font] = face
        return face


_faces = _Faces()
_glyphs: dict[tuple[Font, int, int, int, bool], Bitmap] = {}


def printable(text: str, font: Font) -> str:
    """The text with characters DejaVu lacks shown as boxes, so nothing warns or falls back."""
    if text.isascii() and text.isprintable():
        return text
    face = _faces.get(font)
    return "".join(c if c.isprintable() and face.get_char_index(ord(c)) else NO_GLYPH for c in text)


@lru_cache(maxsize=4096)
def shape(text: str, font: Font) -> TextRun:
    """Glyphs and ink of one line.

    Composed from its neighbouring pairs where that is exact (no ligature among them): shaping
    a new string whole is ten times as dear, and most strings here hold a new number.
    """
    text = printable(text, font)
    if not HAS_GLYPH_CALLS:
        return _whole(text, font)
    glyphs: list[tuple[int, float]] = []
    pen = ascent = descent = 0.0
    for before, character in zip(["", *text], text, strict=False):
        single = _whole(character, font)
        kern = _kern(before, character, font) if before else 0.0
        if kern is None or len(single.glyphs) != 1:
            return _whole(text, font)
        pen += kern
        glyphs.append((single.glyphs[0][0], pen))
        pen += single.width
        ascent, descent = max(ascent, single.ascent), max(descent, single.descent)
    return TextRun(text, tuple(glyphs), pen, ascent, descent)


@lru_cache(maxsize=4096)
def _kern(first: str, second: str, font: Font) -> float | None:
    """How far the second glyph is moved by the first; None where the two become one."""
    pair = _whole(first + second, font)
    if len(pair.glyphs) != 2 or not (first + second).isprintable():
        return None
    singles = _whole(first, font), _whole(second, font)
    if tuple(g for g, _ in pair.glyphs) != tuple(s.glyphs[0][0] for s in singles):
        return None
    return pair.glyphs[1][1] - singles[0].width


@lru_cache(maxsize=4096)
def _whole(text: str, font: Font) -> TextRun:
    face = _faces.get(font)
    face.clear()
    face.set_size(font.points, font.dpi)
    glyphs: tuple[tuple[int, float], ...] = ()
    if HAS_GLYPH_CALLS:
        _hold_upright(face)
        items = face._layout(text, flags=LoadFlags.DEFAULT, features=None, language=None)
        glyphs = tuple((int(item.glyph_index), float(item.x)) for item in items)
    face.set_text(text, 0.0, flags=LoadFlags.DEFAULT)
    width, height = face.get_width_height()
    descent = face.get_descent()
    ascent = max(0.0, (height - descent) / 64)
    return TextRun(text, glyphs, width / 64, ascent, max(0.0, descent / 64))


def _hold_upright(face: Any) -> None:
    face._set_transform([[0x10000, 0], [0, 0x10000]], [0, 0])


@lru_cache(maxsize=64)
def line_metrics(font: Font) -> tuple[float, float, float]:
    """Ascent, descent and gap between lines the font asks for, pixels."""
    face = _faces.get(font)
    scale = font.pixels / face.get_sfnt_table("head")["unitsPerEm"]
    table = face.get_sfnt_table("OS/2")
    return (
        table["sTypoAscender"] * scale,
        -table["sTypoDescender"] * scale,
        table["sTypoLineGap"] * scale,
    )


@lru_cache(maxsize=2048)
def stack(lines: tuple[str, ...], font: Font, align: str = "left") -> Block:
    """Lay lines out below each other, each at least as tall as the font asks."""
    asked_ascent, asked_descent, gap = line_metrics(font)
    half_gap = gap / 2 if len(lines) > 1 else 0.0
    runs = tuple(shape(line, font) for line in lines)
    ascents = [max(run.ascent, asked_ascent) + half_gap for run in runs]
    descents = [max(run.descent, asked_descent) + half_gap for run in runs]
    height = sum(ascents) + sum(descents)
    width = max(run.width for run in runs)
    share = {"left": 0.0, "center": 0.5, "right": 1.0}[align]
    offsets, top = [], height
    for run, ascent, descent in zip(runs, ascents, descents, strict=True):
        offsets.append(((width - run.width) * share, top - ascent))
        top -= ascent + descent
    return Block(runs, tuple(offsets), width, height, ascents[0], descents[-1])


def glyph_bitmap(font: Font, glyph: int, x: int, y: int, upwards: bool) -> Bitmap:
    """Coverage of a glyph whose pen stands at (x, y) 64ths of a pixel; `upwards` turns it 90°."""
    key = (font, glyph, x, y, upwards)
    found = _glyphs.get(key)
    if found is None:
        found = _rasterise(font, glyph, x, y, upwards)
        if len(_glyphs) >= MAX_CACHED_GLYPHS:
            _glyphs.clear()
        _glyphs[key] = found
    return found


def _rasterise(font: Font, glyph: int, x: int, y: int, upwards: bool) -> Bitmap:
    face = _faces.get(font)
    face.set_size(font.points, font.dpi)
    turn = [[0, -0x10000], [0x10000, 0]] if upwards else [[0x10000, 0], [0, 0x10000]]
    face._set_transform(turn, [x, y])
    bitmap = face._render_glyph(glyph, LoadFlags.DEFAULT, RenderMode.NORMAL)
    coverage = bitmap.buffer
    return Bitmap(coverage, bitmap.left, bitmap.top - coverage.shape[0])


def forget() -> None:
    """Empty what is remembered of texts and glyphs, as at the start of the program."""
    for remembered in (shape, _kern, _whole, stack):
        remembered.cache_clear()
    _glyphs.clear()
