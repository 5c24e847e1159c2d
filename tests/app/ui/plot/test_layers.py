"""Opaque colours, limited coordinates, and the window of the agent."""

from __future__ import annotations

import numpy as np

from app.ui.plot.layers import LIMIT_PX, blend, polygon
from tests.app.ui.plot.steps import HALPHA


def test_translucent_colours_become_opaque():
    assert blend("#80ffffff", "#000000").name() == "#808080"
    assert blend("#00ff0000", "#00ff0000", "#123456").name() == "#123456"
    assert blend("#80ffffff", "#000000").alpha() == 255


def test_points_far_outside_are_brought_near():
    points = polygon(np.array([1.0, 2.0]), np.array([3.0, -1e9]))
    assert [(point.x(), point.y()) for point in points] == [(1.0, 3.0), (2.0, -LIMIT_PX)]
    assert polygon(np.empty(0), np.empty(0)).isEmpty()


def test_the_window_of_the_agent_is_drawn_with_its_name(context, panel):
    context.view.set_window((6000.0, 7000.0))
    before = panel.plot.grab().toImage()
    panel.plot.show_look(HALPHA, "Hα")
    framed = panel.plot.grab().toImage()
    panel.plot.show_look(HALPHA, "")
    assert before != framed != panel.plot.grab().toImage()
