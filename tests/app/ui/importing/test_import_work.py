"""A session is made from lists, or nothing is left behind."""

from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from agent.tasks.catalogue import find_task
from app.core.errors import ImportFailed, ImportStopped
from app.core.session.session import open_session
from app.ui.importing.import_work import ImportOrder, ListOrder, make_session


def order(path, *lists, **more):
    return ImportOrder(
        path=path,
        task=find_task("CV"),
        reviewer="Ada",
        lists=tuple(ListOrder(path=path) for path in lists),
        **more,
    )


def test_lists_become_a_session(tmp_path, sample_list):
    again = tmp_path / "again.csv"
    again.write_text(sample_list.read_text())
    path = tmp_path / "night.speco3"
    made = make_session(order(path, sample_list, again, spectra=sample_list.parent, blind=True))
    assert (made.candidates, [each.duplicates for each in made.reports]) == (60, [0, 60])
    with open_session(path, "Ada") as session:
        assert session.count() == 60
        assert session.fact("blind") == "yes"


def test_a_list_that_fails_leaves_nothing(tmp_path, sample_list):
    bad = tmp_path / "bad.csv"
    bad.write_text("foo\n1\n")
    with pytest.raises(ImportFailed, match=r"bad\.csv"):
        make_session(order(tmp_path / "night.speco3", sample_list, bad))
    assert not list(tmp_path.glob("*speco3*"))


def test_a_stopped_import_leaves_nothing(tmp_path, sample_list):
    with pytest.raises(ImportStopped):
        make_session(order(tmp_path / "night.speco3", sample_list), should_stop=lambda: True)
    assert not list(tmp_path.glob("*speco3*"))


def test_what_is_there_is_not_touched(tmp_path, sample_list):
    path = tmp_path / "night.speco3"
    make_session(order(path, sample_list))
    before = path.read_bytes()
    with pytest.raises(WorkbenchError, match="already"):
        make_session(order(path, sample_list))
    assert path.read_bytes() == before
