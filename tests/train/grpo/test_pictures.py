from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest

pytest.importorskip("transformers")

from agent.engines.families import FAMILIES
from agent.engines.patches import patches
from agent.errors import ToolError
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT
from tests.train.grpo.scenes import pixels, star
from train.grpo import pictures as module
from train.grpo.pictures import PictureCache, window_of

VISION = FAMILIES["qwen2_5_vl"].vision


@pytest.fixture
def drawing():
    made = PictureCache(COMPACT, QWEN25, VISION)
    yield made
    made.close()


def looked(view: PictureMaker, low: float, high: float, label: str = ""):
    return view.look({"wavelength_range": [low, high], "label": label})


def test_drawn_once_whatever_the_label(drawing: PictureCache):
    view = drawing.maker(star(1))
    one, first = looked(view, 6500, 6600, "Hα")
    other, second = looked(drawing.maker(star(1)), 6500.0, 6600, "another thing")
    assert one is other
    assert first.text.endswith("(6500, 6600) Å for Hα.")
    assert second.text.endswith("(6500.0, 6600) Å for another thing.")
    assert drawing.drawn_count == 1
    looked(view, 6500, 6601)
    looked(drawing.maker(star(2)), 6500, 6600)
    view.overview()
    assert drawing.drawn_count == 4


def test_the_pictures_of_use(drawing: PictureCache):
    spectrum = star(3).spectrum
    plain = PictureMaker.of(spectrum, spectrum_ref(spectrum), COMPACT, QWEN25)
    view = drawing.maker(star(3))
    found, result = looked(view, 6500, 6600, "Hα")
    wanted, told = looked(plain, 6500, 6600, "Hα")
    assert pixels([found, view.overview()]) == pixels([wanted, plain.overview()])
    same = attrgetter("text", "range", "label", "points")
    assert same(result) == same(told)
    assert np.array_equal(drawing.patches(found).rows, patches(wanted, VISION).rows)


@pytest.mark.parametrize("arguments", [{}, {"wavelength_range": [1, 2]}, "x", None])
def test_refusals_in_the_words_of_use(drawing: PictureCache, arguments: object):
    view = drawing.maker(star(1))
    with pytest.raises(ToolError) as wanted:
        view.plain.look(arguments)
    with pytest.raises(ToolError) as found:
        view.look(arguments)
    assert str(found.value) == str(wanted.value)
    assert drawing.drawn_count == 0


def test_several_processes_draw_the_same(drawing: PictureCache):
    shared = PictureCache(COMPACT, QWEN25, VISION, workers=2)
    try:
        views = [shared.maker(star(number)) for number in range(3)]
        shared.draw_ahead([(view, (6500.0, 6600.0)) for view in views])
        shared.draw_ahead([(views[0], (1.0, 2.0)), (views[1], None), (views[2], (4000.0, 5000.0))])
        assert shared.drawn_count == 5
        found = [looked(view, 6500, 6600)[0] for view in views] + [views[1].overview()]
        assert shared.drawn_count == 5
    finally:
        shared.close()
    plain = [drawing.maker(star(number)) for number in range(3)]
    wanted = [looked(view, 6500, 6600)[0] for view in plain] + [plain[1].overview()]
    assert pixels(found) == pixels(wanted)


def test_old_pictures_make_room(drawing: PictureCache, monkeypatch: pytest.MonkeyPatch):
    view = drawing.maker(star(1))
    first, _ = looked(view, 6500, 6600)
    monkeypatch.setattr(module, "MAX_BYTES", 1)
    looked(view, 4000, 5000)
    again, _ = looked(view, 6500, 6600)
    assert again is not first
    assert drawing.drawn_count == 3
    assert np.array_equal(drawing.patches(first).rows, drawing.patches(again).rows)


def test_what_a_call_asks_for():
    assert window_of({"wavelength_range": [6500, 6600.5]}) == (6500.0, 6600.5)
    assert window_of({"wavelength_range": [6600, 6500]}) is None
    assert window_of("nonsense") is None
