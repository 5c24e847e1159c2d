from dataclasses import replace

import pytest

pytest.importorskip("pyarrow")

from agent.inspection.pictures import redraw
from tests.train.draft.spectra import SHORT, all_examples, drafted


def test_pictures_are_drawn_where_wanted() -> None:
    example = all_examples()[0]
    made = drafted(example, replace(SHORT, draw=True, most_zooms=2)).trajectory
    assert made is not None and made.overview and all(step.picture for step in made.looks)
    assert len(redraw(made, example.spectrum)) == 1 + len(made.looks)
    assert drafted(example, replace(SHORT, most_zooms=2)).trajectory.replies == made.replies
