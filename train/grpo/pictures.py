"""The pictures of rollouts: drawn as in use, once each, by several processes where asked for.

A picture depends on the spectrum and the range, not on the label of the call: the eight rollouts
of a question look at the same few windows again and again.
"""

from __future__ import annotations

import multiprocessing
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from agent.engines.families import Vision
from agent.engines.patches import ImagePatches, patches
from agent.errors import ToolError, WorkbenchError
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.tool import ToolResult, checked_arguments
from agent.rendering.model_image import Sizing, prepare
from agent.rendering.style import Style
from train.examples import Example
from train.parallel import end_with_parent

MAX_BYTES = 1 << 29
"""Of pictures and their patches that each process keeps: windows come again within a round."""
MAX_VIEWERS = 4096

Window = tuple[float, float] | None
"""Angstrom; None is the whole spectrum."""


@dataclass(frozen=True, eq=False)
class RenderedPicture:
    """A picture, and the same as the model's vision reads it."""

    picture: Image.Image
    patches: ImagePatches
    points: int = 0


class Pictures:
    """Draws for one model: its style, sizing and vision. Close it where it has workers."""

    def __init__(self, style: Style, sizing: Sizing, vision: Vision, workers: int = 1) -> None:
        self.style, self.sizing, self.vision = style, sizing, vision
        self.drawn = 0
        """How many were drawn, those asked for again not counted."""
        self._shots: OrderedDict[tuple[str, Window], RenderedPicture] = OrderedDict()
        self._by_picture: dict[int, RenderedPicture] = {}
        self._viewers: OrderedDict[str, CachedPictureMaker] = OrderedDict()
        self._bytes = 0
        self._pool = (
            ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), end_with_parent)
            if workers > 1
            else None
        )

    def viewer(self, example: Example) -> CachedPictureMaker:
        """The viewer that an inspection of this spectrum has, over the pictures kept here."""
        key = example.sha256
        if key not in self._viewers:
            plain = PictureMaker.of(
                example.spectrum, spectrum_ref(example.spectrum), self.style, self.sizing
            )
            self._viewers[key] = CachedPictureMaker(**vars(plain), pictures=self, key=key)
            if len(self._viewers) > MAX_VIEWERS:
                self._viewers.popitem(last=False)
        return self._viewers[key]

    def draw_ahead(self, wanted: Iterable[tuple[CachedPictureMaker, Window]]) -> None:
        """Draw what will be asked for and is not there yet, by all workers at once."""
        if self._pool is None:
            return
        missing = {(view.key, window): view for view, window in wanted}
        missing = {name: view for name, view in missing.items() if name not in self._shots}
        if len(missing) < 2:
            return
        drawn = self._pool.map(
            _drawn,
            [view.plain for view in missing.values()],
            [window for _, window in missing],
            chunksize=max(1, len(missing) // 32),
        )
        for name, result in zip(missing, drawn, strict=True):
            if result is not None:
                self._keep(name, Image.fromarray(result[0]), result[1])

    def shot(self, view: CachedPictureMaker, window: Window) -> RenderedPicture:
        """Raises ToolError or SpectrumError where there is nothing to draw."""
        name = view.key, window
        found = self._shots.get(name)
        if found is not None:
            self._shots.move_to_end(name)
            return found
        return self._keep(name, *_draw(view.plain, window))

    def patches(self, picture: Image.Image) -> ImagePatches:
        """What the vision reads of a picture, from memory where it was drawn here."""
        known = self._by_picture.get(id(picture))
        if known is not None:
            return known.patches
        return patches(prepare(picture, self.sizing), self.vision)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def _keep(self, name: tuple[str, Window], picture: Image.Image, points: int) -> RenderedPicture:
        shot = RenderedPicture(picture, patches(picture, self.vision), points)
        self.drawn += 1
        self._shots[name] = shot
        self._by_picture[id(picture)] = shot
        self._bytes += _size(shot)
        while self._bytes > MAX_BYTES and len(self._shots) > 1:
            _, old = self._shots.popitem(last=False)
            del self._by_picture[id(old.picture)]
            self._bytes -= _size(old)
        return shot


@dataclass(frozen=True, eq=False, kw_only=True)
class CachedPictureMaker(PictureMaker):
    """A viewer whose pictures are kept."""

    pictures: Pictures
    key: str

    @property
    def plain(self) -> PictureMaker:
        """The same without the memory: what a worker is sent."""
        return PictureMaker(
            spectrum=self.spectrum,
            style=self.style,
            sizing=self.sizing,
            z=self.z,
            title=self.title,
        )

    def overview(self) -> Image.Image:
        return self.pictures.shot(self, None).picture

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        (low, high), label = checked_arguments(arguments)
        try:
            shot = self.pictures.shot(self, (float(low), float(high)))
        except ToolError:
            return super().look(arguments)  # says it again, with the numbers as they were written
        text = self.answer((low, high), label)
        return shot.picture, ToolResult(shot.picture, text, (low, high), label, shot.points)


def window_of(arguments: object) -> tuple[float, float] | None:
    """The range a call asks for; None where the tool will refuse it."""
    try:
        (low, high), _ = checked_arguments(arguments)
    except ToolError:
        return None
    return float(low), float(high)


def _draw(viewer: PictureMaker, window: Window) -> tuple[Image.Image, int]:
    if window is None:
        return viewer.overview(), len(viewer.spectrum)
    picture, result = viewer.look({"wavelength_range": list(window)})
    return picture, result.points


def _drawn(viewer: PictureMaker, window: Window) -> tuple[NDArray[np.uint8], int] | None:
    try:
        picture, points = _draw(viewer, window)
    except WorkbenchError:
        return None
    return np.asarray(picture), points


def _size(shot: RenderedPicture) -> int:
    side: Any = shot.picture
    return int(shot.patches.rows.nbytes + 3 * side.width * side.height)
