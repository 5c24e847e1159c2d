"""Prepared turns, said in order; and answers without pictures."""

from __future__ import annotations

import pytest

from agent.engines.base import SamplingSettings
from agent.errors import ToolError
from agent.inspection.measured_conversation import BlankPictureMaker, MeasuredConversation
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.rendering.model_image import QWEN25
from agent.rendering.render import PUBLISHED
from tests.agent.scenes import star

SAMPLING = SamplingSettings()


def test_turns_come_in_order_and_the_last_again():
    conversation = MeasuredConversation(("one", "two"))
    heard: list[str] = []
    texts = [conversation.generate(SAMPLING, on_text=heard.append).text for _ in range(3)]
    assert texts == heard == ["one", "two", "two"]


def test_it_returns_to_a_mark():
    conversation = MeasuredConversation(("one", "two"))
    start = conversation.mark()
    conversation.generate(SAMPLING)
    conversation.rewind(start)
    assert conversation.generate(SAMPLING).text == "one"


def test_a_cancelled_turn_says_nothing():
    conversation = MeasuredConversation(("one",))
    cancelled = conversation.generate(SAMPLING, should_stop=lambda: True)
    assert (cancelled.text, cancelled.finish) == ("", "cancelled")
    assert conversation.generate(SAMPLING).text == "one"


def test_blank_pictures_come_with_the_usual_text():
    spectrum = star()
    makers = [
        kind.of(spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25)
        for kind in (PictureMaker, BlankPictureMaker)
    ]
    call = {"wavelength_range": [6400, 6700], "label": "Hα"}
    (drawn, full), (blank, empty) = (maker.look(call) for maker in makers)
    assert full.text == empty.text and (empty.range, empty.label) == ((6400, 6700), "Hα")
    assert blank.size == makers[1].overview().size == (1, 1) != drawn.size
    with pytest.raises(ToolError, match="must start below"):
        makers[1].look({"wavelength_range": [6700, 6400]})
