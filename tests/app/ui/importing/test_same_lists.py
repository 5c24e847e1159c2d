"""The lists of a session come back with the columns that were chosen."""

from __future__ import annotations

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.session import new_session
from app.ui.importing.same_lists import lists_of


def test_a_list_keeps_its_columns_and_a_spectrum_has_none(tmp_path, sample_list, one_spectrum):
    with new_session(tmp_path / "night.speco3", find_task("CV"), "Ada") as session:
        import_list(session, sample_list, roles={"score": "mag_r", "label": ""})
        import_list(session, one_spectrum)
        found = lists_of(session)
    assert list(found) == [sample_list, one_spectrum]
    assert found[sample_list]["score"] == "mag_r" and found[sample_list]["label"] == ""
    assert found[sample_list]["path"] == "file"
    assert found[one_spectrum] == {}
