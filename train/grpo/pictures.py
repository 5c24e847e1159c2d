"""Draws and caches the pictures of rollouts, optionally in several processes.

A picture depends on the spectrum and the range, not on the label of the call, and the rollouts of a
question look at the same few ranges again and again.
"""

from __future__ import annotations

import multiprocessing
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from agent.engines.families import Vision
from agent.engines.patches import ImagePatches, patches
from agent.errors import ToolError, WorkbenchError
from agent.examples.examples import Example
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.protocol import Turn
from agent.protocol.rules import OURS, Rules
from agent.protocol.tool import ToolResult, checked_arguments, window_reply
from agent.protocol.wording import Wording
from agent.rendering.model_image import Sizing, prepare
from agent.rendering.style import Style
from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from train.parallel import end_with_parent, worker_deaths
from train.toolless import NO_TOOL, toolless_opening

MAX_BYTES = 1 << 29  # most bytes of pictures and patches that each process keeps
MAX_MAKERS = 4096

# A spectrum's hash and a range in angstrom; None is the whole spectrum.
Key = tuple[str, Window | None]


@dataclass(frozen=True, eq=False)
class RenderedPicture:
    """A picture and its patches; `points` is the number of pixels of the spectrum in it."""

    picture: Image.Image
    patches: ImagePatches
    points: int = 0


class PictureCache:
    """Draws pictures in a model's style and sizing; close it if it has workers."""

    def __init__(
        self,
        style: Style,
        sizing: Sizing,
        vision: Vision,
        workers: int = 1,
        *,
        tool: bool = True,
        rules: Rules = OURS,
        wording: Wording | None = None,
    ) -> None:
        self.style, self.sizing, self.vision, self.tool = style, sizing, vision, tool
        self.rules, self.wording = rules, wording
        self.drawn_count = 0  # pictures drawn so far, without those found in the cache
        self._cache: OrderedDict[Key, RenderedPicture] = OrderedDict()
        self._by_picture: dict[int, RenderedPicture] = {}
        self._makers: OrderedDict[str, CachedPictureMaker] = OrderedDict()
        self._bytes = 0
        new = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(workers, new, end_with_parent) if workers > 1 else None

    def maker(self, example: Example) -> CachedPictureMaker:
        """The picture maker of an inspection of this spectrum, backed by this cache."""
        key = example.sha256
        if key not in self._makers:
            ref = spectrum_ref(example.spectrum)
            plain = PictureMaker.of(example.spectrum, ref, self.style, self.sizing)
            plain = replace(plain, rules=self.rules, wording=self.wording)
            self._makers[key] = CachedPictureMaker(**vars(plain), pictures=self, key=key)
            if len(self._makers) > MAX_MAKERS:
                self._makers.popitem(last=False)
        return self._makers[key]

    def draw_ahead(self, wanted: Iterable[tuple[CachedPictureMaker, Window | None]]) -> None:
        """Draw the pictures that are not cached yet, in all workers at once."""
        if self._pool is None:
            return
        missing = {(maker.key, window): maker for maker, window in wanted}
        missing = {key: maker for key, maker in missing.items() if key not in self._cache}
        if len(missing) < 2:
            return
        with worker_deaths():
            makers, windows = [maker.plain for maker in missing.values()], [at for _, at in missing]
            size = max(1, len(missing) // 32)
            drawn = self._pool.map(_draw_array, makers, windows, chunksize=size)
            for key, result in zip(missing, drawn, strict=True):
                if result is not None:
                    self._store(key, Image.fromarray(result[0]), result[1])

    def rendered(self, maker: CachedPictureMaker, window: Window | None) -> RenderedPicture:
        """The picture of a range; raises ToolError or SpectrumError if there is nothing to draw."""
        key = maker.key, window
        cached = self._cache.get(key)
        if cached is not None:
            self._cache.move_to_end(key)
            return cached
        return self._store(key, *_draw(maker.plain, window))

    def patches(self, picture: Image.Image) -> ImagePatches:
        """The patches of a picture, from the cache if it was drawn here."""
        known = self._by_picture.get(id(picture))
        if known is not None:
            return known.patches
        return patches(prepare(picture, self.sizing), self.vision)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def _store(self, key: Key, picture: Image.Image, points: int) -> RenderedPicture:
        rendered = RenderedPicture(picture, patches(picture, self.vision), points)
        self.drawn_count += 1
        self._cache[key] = rendered
        self._by_picture[id(picture)] = rendered
        self._bytes += _size_bytes(rendered)
        while self._bytes > MAX_BYTES and len(self._cache) > 1:
            _, old = self._cache.popitem(last=False)
            del self._by_picture[id(old.picture)]
            self._bytes -= _size_bytes(old)
        return rendered


@dataclass(frozen=True, eq=False, kw_only=True)
class CachedPictureMaker(PictureMaker):
    pictures: PictureCache
    key: str

    @property
    def plain(self) -> PictureMaker:
        """The same without the cache, to send to a worker."""
        names = (each.name for each in fields(PictureMaker))
        return PictureMaker(**{name: getattr(self, name) for name in names})

    def overview(self) -> Image.Image:
        return self.pictures.rendered(self, None).picture

    def opening(self, task: Task) -> tuple[Turn, Turn]:
        if self.pictures.tool:
            return super().opening(task)
        text = self.overview_text()
        return toolless_opening(task, brief=self.style.brief, overview_text=text)

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        if not self.pictures.tool:
            raise ToolError(NO_TOOL)
        try:
            (low, high), label = checked_arguments(arguments)
            rendered = self.pictures.rendered(self, (float(low), float(high)))
        except ToolError:
            # Raises it again, with the numbers as the model wrote them, or shows the whole.
            return super().look(arguments)
        if self.rules.is_published:
            assert isinstance(arguments, Mapping)
            text = window_reply((low, high), arguments.get("label"))
        else:
            text = self.window_text((low, high), label)
        result = ToolResult(rendered.picture, text, (low, high), label, rendered.points)
        return rendered.picture, result


def window_of(arguments: object) -> Window | None:
    """The range of a tool call, or None if the tool will refuse it."""
    try:
        (low, high), _ = checked_arguments(arguments)
    except ToolError:
        return None
    return float(low), float(high)


def _draw(maker: PictureMaker, window: Window | None) -> tuple[Image.Image, int]:
    if window is None:
        return maker.overview(), len(maker.spectrum)
    picture, result = maker.look({"wavelength_range": list(window)})
    return picture, result.points


def _draw_array(maker: PictureMaker, window: Window | None) -> tuple[NDArray[np.uint8], int] | None:
    """Draw in a worker, which cannot send a picture itself."""
    try:
        picture, points = _draw(maker, window)
    except WorkbenchError:
        return None
    return np.asarray(picture), points


def _size_bytes(rendered: RenderedPicture) -> int:
    picture = rendered.picture
    return int(rendered.patches.rows.nbytes + 3 * picture.width * picture.height)
