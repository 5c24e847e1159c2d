"""Names of windows as astronomers shorten them, and no part of a name."""

from __future__ import annotations

import pytest

from agent.tasks.catalogue import load_tasks
from app.ui.translation.data_texts import load_table
from app.ui.windows.short_names import short_names

SHORTER = {
    "He II 4686, Hβ, [O III]": ("He II 4686, Hβ", "He II 4686", "He II"),
    "Hα and He I 6678": ("Hα",),
    "Balmer series": ("Balmer",),
    "Ca II triplet and Paschen": ("Ca II triplet", "Ca II"),
    "Ca II K and Hε": ("Ca II K", "Ca II"),
    "TiO of the companion, Na I 8190": ("TiO of the companion", "TiO"),
    "High Balmer lines and Ca II K": ("High Balmer lines", "High Balmer", "Balmer"),
    "M dwarf companion, Paschen": ("M dwarf companion", "M dwarf"),
    "G band, CN 4216, Ca I 4227": ("G band, CN 4216", "G band"),
    "ZrO 6474 excluded": ("ZrO 6474", "ZrO"),
    "Na D": (),
    "[O III]": (),
    "巴耳末线系": ("巴耳末",),
    "Ca II 三重线与帕邢线": ("Ca II 三重线", "Ca II"),
    "排除 He II 4686": ("He II 4686", "He II"),
    "高次巴耳末线与 Ca II K": ("高次巴耳末线", "高次巴耳末", "巴耳末"),
    "伴星的 TiO、Na I 8190": ("伴星的 TiO", "TiO"),
    "": (),
}


@pytest.mark.parametrize("label", SHORTER)
def test_ever_shorter_names(label):
    assert short_names(label) == (label, *SHORTER[label])


def test_every_window_has_a_name_for_the_narrowest_cell():
    labels = {window.label for task in load_tasks() for window in task.windows}
    assert len(labels) > 30
    assert max(len(short_names(label)[-1]) for label in labels) <= len("M dwarf")
    chinese = load_table("tasks", "zh")
    assert max(len(short_names(chinese[label])[-1]) for label in labels) <= len("He II")
