"""Text in pictures: cached DejaVu glyphs, rasterised by FreeType.

Text dominates the cost of a matplotlib picture. Here a glyph is shaped once per font and rasterised
once per position within a pixel (FreeType's 1/64 steps).
"""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font, LoadFlags, RenderMode

FILES = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
MAX_CACHED_GLYPHS = 30_000  # some 300 bytes each; beyond this the cache is emptied
# Private methods of matplotlib 3.11; without them we fall back to the renderer's `draw_text`.
HAS_GLYPH_CALLS = all(hasattr(FT2Font, n) for n in ("_layout", "_render_glyph", "_set_transform"))
NO_GLYPH = "\N{WHITE SQUARE}"


@dataclass(frozen=True)
class Font:
    """DejaVu Sans in a size in points, for a picture with `dpi`."""

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
    """A shaped line: (glyph index, pen position in pixels) pairs, and its ink in pixels."""

    text: str
    glyphs: tuple[tuple[int, float], ...]
    width: float
    ascent: float
    descent: float


@dataclass(frozen=True)
class Block:
    """Stacked lines; `offsets` are (left, baseline) from the block's lower left corner.

    `ascent` is that of the first line, `descent` that of the last one.
    """

    runs: tuple[TextRun, ...]
    offsets: tuple[tuple[float, float], ...]
    width: float
    height: float
    ascent: float
    descent: float


@dataclass(frozen=True)
class Bitmap:
    """Coverage of a glyph; `left` and `bottom` are pixels from the pen, with y upwards."""

    coverage: Any
    left: int
    bottom: int


class _Faces(threading.local):
    """Open faces per thread, since FreeType faces have state."""

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
    """Replace characters that DejaVu lacks by boxes, so that matplotlib does not warn."""
    if text.isascii() and text.isprintable():
        return text
    face = _faces.get(font)
    return "".join(c if c.isprintable() and face.get_char_index(ord(c)) else NO_GLYPH for c in text)


@lru_cache(maxsize=4096)
def shape(text: str, font: Font) -> TextRun:
    """Shape one line.

    Without ligatures it is composed from cached pairs of characters. Shaping a new string costs ten
    times as much, and most strings here contain a new number.
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
    """Kerning between two glyphs in pixels; None if they form a ligature."""
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
        face._set_transform([[0x10000, 0], [0, 0x10000]], [0, 0])
        items = face._layout(text, flags=LoadFlags.DEFAULT, features=None, language=None)
        glyphs = tuple((int(item.glyph_index), float(item.x)) for item in items)
    face.set_text(text, 0.0, flags=LoadFlags.DEFAULT)
    width, height = face.get_width_height()
    descent = face.get_descent()
    ascent = max(0.0, (height - descent) / 64)
    return TextRun(text, glyphs, width / 64, ascent, max(0.0, descent / 64))


@lru_cache(maxsize=64)
def line_metrics(font: Font) -> tuple[float, float, float]:
    """The font's own ascent, descent and line gap in pixels."""
    face = _faces.get(font)
    scale = font.pixels / face.get_sfnt_table("head")["unitsPerEm"]
    table = face.get_sfnt_table("OS/2")
    names = ("sTypoAscender", "sTypoDescender", "sTypoLineGap")
    up, down, gap = (table[name] * scale for name in names)
    return up, -down, gap


@lru_cache(maxsize=2048)
def stack_lines(lines: tuple[str, ...], font: Font, align: str = "left") -> Block:
    """Lay out lines below each other, each at least as tall as the font's line height."""
    min_ascent, min_descent, gap = line_metrics(font)
    half_gap = gap / 2 if len(lines) > 1 else 0.0
    runs = tuple(shape(line, font) for line in lines)
    ascents = [max(run.ascent, min_ascent) + half_gap for run in runs]
    descents = [max(run.descent, min_descent) + half_gap for run in runs]
    height = sum(ascents) + sum(descents)
    width = max(run.width for run in runs)
    indent = {"left": 0.0, "center": 0.5, "right": 1.0}[align]
    offsets, top = [], height
    for run, ascent, descent in zip(runs, ascents, descents, strict=True):
        offsets.append(((width - run.width) * indent, top - ascent))
        top -= ascent + descent
    return Block(runs, tuple(offsets), width, height, ascents[0], descents[-1])


def glyph_bitmap(font: Font, glyph: int, x: int, y: int, vertical: bool) -> Bitmap:
    """Coverage of a glyph with its pen at (x, y) in 1/64 pixel; `vertical` rotates it by 90°."""
    key = (font, glyph, x, y, vertical)
    bitmap = _glyphs.get(key)
    if bitmap is None:
        bitmap = _rasterise(font, glyph, x, y, vertical)
        if len(_glyphs) >= MAX_CACHED_GLYPHS:
            _glyphs.clear()
        _glyphs[key] = bitmap
    return bitmap


def _rasterise(font: Font, glyph: int, x: int, y: int, vertical: bool) -> Bitmap:
    face = _faces.get(font)
    face.set_size(font.points, font.dpi)
    matrix = [[0, -0x10000], [0x10000, 0]] if vertical else [[0x10000, 0], [0, 0x10000]]
    face._set_transform(matrix, [x, y])
    bitmap = face._render_glyph(glyph, LoadFlags.DEFAULT, RenderMode.NORMAL)
    coverage = bitmap.buffer
    return Bitmap(coverage, bitmap.left, bitmap.top - coverage.shape[0])


def clear_caches() -> None:
    for cached in (shape, _kern, _whole, stack_lines):
        cached.cache_clear()
    _glyphs.clear()
