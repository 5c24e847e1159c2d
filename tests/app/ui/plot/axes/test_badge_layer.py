"""Badges on the plot, painted at the right below the names of lines."""

from __future__ import annotations


def upper_right(panel):
    """The dots of the part of the plot where badges stand."""
    image, box = panel.plot.grab().toImage(), panel.plot.stage.geometry()
    across = range(round(box.center().x()), round(box.right()) - 2)
    down = range(round(box.top()), round(box.top() + 0.3 * box.height()))
    return [image.pixel(x, y) for x in across for y in down]


def test_nothing_is_painted_while_all_is_as_usual(panel, context):
    assert panel.plot.badges.shown == () and not panel.plot.badges.isVisible()
    context.view.change(lines=False, mask=False)
    before = upper_right(panel)
    context.view.change(medium="air")
    assert panel.plot.badges.shown == ("air",)
    changed = sum(a != b for a, b in zip(before, upper_right(panel), strict=True))
    assert changed > 100
    context.view.change(medium="vacuum")
    assert upper_right(panel) == before
