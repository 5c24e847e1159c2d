"""A session is made from lists, the sample or one spectrum, or nothing is left behind."""

import os

import pytest
from PySide6.QtCore import Qt

from agent.errors import WorkbenchError
from agent.tasks.catalogue import find_task, look_task
from app.core.errors import ImportFailed, ImportStopped, SessionError
from app.core.importing.importer import import_list
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.ui.base.theme.theme import CurrentTheme
from app.ui.start.importing import session_card
from app.ui.start.importing.import_work import ImportOrder, ListOrder, make_session, preview_list
from app.ui.start.importing.preview_table import MAX_WIDTH, PreviewTable
from app.ui.start.importing.ready_made_sessions import lists_of, sample_session, spectrum_session
from app.ui.start.importing.session_card import free_path, suggested_session_path
from app.ui.widgets import file_dialogs
from app.ui.widgets.input_filter import plain_html


def order(path, *lists, **more):
    return ImportOrder(
        path=path, task=find_task("CV"), reviewer="Ada",
        lists=tuple(ListOrder(path=path) for path in lists), **more
    )  # fmt: skip


def test_lists_become_a_session(tmp_path, sample_list):
    again = tmp_path / "again.csv"
    again.write_text(sample_list.read_text())
    path = tmp_path / "night.speco3"
    made = make_session(order(path, sample_list, again, spectra=sample_list.parent, blind=True))
    assert (made.candidates, [each.duplicates for each in made.reports]) == (60, [0, 60])
    with open_session(path, "Ada") as session:
        assert session.count() == 60 and session.fact("blind") == "yes"


def test_an_import_that_fails_or_is_stopped_leaves_nothing(tmp_path, sample_list):
    bad = tmp_path / "bad.csv"
    bad.write_text("foo\n1\n")
    with pytest.raises(ImportFailed, match=r"bad\.csv"):
        make_session(order(tmp_path / "night.speco3", sample_list, bad))
    assert not list(tmp_path.glob("*speco3*"))
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


def test_the_path_is_beside_the_list_never_over_another_or_has_a_problem(tmp_path, monkeypatch):
    for name in ("night.csv", "night.fits.gz", "night.parquet"):
        assert suggested_session_path(tmp_path / name) == tmp_path / "night.speco3"
    folder = tmp_path / "plate 7.d"
    folder.mkdir()
    assert suggested_session_path(folder) == tmp_path / "plate 7.d.speco3"
    (tmp_path / "night.speco3").touch()
    (tmp_path / "night-2.speco3").touch()
    assert suggested_session_path(tmp_path / "night.csv") == tmp_path / "night-3.speco3"
    assert free_path(tmp_path / "other.speco3") == tmp_path / "other.speco3"
    assert session_card.session_path_problem(tmp_path / "new.speco3") == ""
    words = {"night.speco3": "already exists", "none/new.speco3": "not a folder", ".speco3": "name"}
    for name, word in words.items():
        assert word in session_card.session_path_problem(tmp_path / name)
    documents = tmp_path / "documents"
    documents.mkdir()
    monkeypatch.setattr(file_dialogs, "user_documents_path", lambda: documents)
    monkeypatch.setattr(os, "access", lambda path, mode: path == documents)
    assert suggested_session_path(tmp_path / "archive.fits") == documents / "archive.speco3"


def test_the_sample_is_made_once_blind_or_not(tmp_path, one_spectrum):
    with sample_session("Ada", tmp_path, blind=True) as session:
        assert session.fact("blind") == "yes"
    with spectrum_session(one_spectrum, "Ada", tmp_path, blind=True) as session:
        assert session.fact("blind") == "yes"
    with sample_session("Ada", tmp_path / "new folder") as session:
        assert (session.count(), session.task.id) == (60, "CV")
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    with sample_session("Ada", tmp_path / "new folder") as session:
        assert session.judgement(1).opinion.verdict is Verdict.ACCEPT
    with sample_session("Ada", tmp_path, name="sample_real") as session:
        assert session.count() == 40 and session.fact("blind") != "yes"


def test_one_spectrum_is_a_session_of_one(tmp_path, one_spectrum):
    before = sorted(one_spectrum.parent.iterdir())
    with spectrum_session(one_spectrum, "Ada", tmp_path) as session:
        assert (session.count(), session.task.id) == (1, look_task().id)
        assert session.candidate(1).path == str(one_spectrum)
        session.record_verdict(1, Opinion(comment="He I?"))
        with pytest.raises(SessionError, match="there is no class to judge"):
            session.record_verdict(1, Opinion(verdict=Verdict.UNSURE))
        path = session.location
    with spectrum_session(one_spectrum, "Ada", tmp_path) as session:
        assert session.location == path and session.judgement(1).opinion.comment == "He I?"
    assert sorted(one_spectrum.parent.iterdir()) == before
    (tmp_path / "file").touch()
    with pytest.raises(WorkbenchError, match="cannot create the folder"):
        spectrum_session(one_spectrum, "Ada", tmp_path / "file" / "folder")


def test_a_list_is_previewed_with_its_roles_or_without(sample_list, tmp_path):
    preview = preview_list(sample_list, {})
    assert (preview.format, preview.problem) == ("CSV", "")
    assert preview.roles.columns["path"] == "file"
    assert len(preview.rows[0]) == len(preview.columns)
    path = tmp_path / "strange.csv"
    path.write_text("foo,bar\nstar 1,2\nstar 2,4\n")
    preview = preview_list(path, {})
    assert "no column was recognized" in preview.problem
    assert [column.name for column in preview.columns] == ["foo", "bar"]
    assert [row[0] for row in preview.rows] == ["star 1", "star 2"]
    assert preview_list(path, {"object_id": "foo"}).problem == ""
    preview = preview_list(tmp_path / "gone.csv", {})
    assert preview.problem and (preview.columns, preview.rows) == ((), ())
    with pytest.raises(ImportStopped):
        preview_list(sample_list.parent / "spectra", {}, should_stop=lambda: True)


def previewed(qtbot, path):
    table = PreviewTable(CurrentTheme())
    qtbot.addWidget(table)
    table.show_preview(preview_list(path, {}))
    return table


def test_headers_show_name_and_role_and_no_markup(qtbot, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(f"object_id,ra,dec,note\nstar,1.5,-2.25,{'x' * 300}\n")
    table = previewed(qtbot, path)
    model = table.model()
    across = Qt.Orientation.Horizontal
    assert model.headerData(0, across) == "object_id\nObject"
    assert model.headerData(3, across) == "note\n" and model.index(0, 2).data() == "-2.25"
    right = model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert right & Qt.AlignmentFlag.AlignRight and len(model.index(0, 3).data()) < 300
    assert table.columnWidth(3) == MAX_WIDTH
    path.write_text("object_id,<b>\nstar,1\n")
    table = previewed(qtbot, path)
    tip = table.model().headerData(1, across, Qt.ItemDataRole.ToolTipRole)
    assert plain_html(tip) == "<span>&lt;b&gt;</span>"


def test_a_list_keeps_its_columns_and_a_spectrum_has_none(tmp_path, sample_list, one_spectrum):
    with new_session(tmp_path / "night.speco3", find_task("CV"), "Ada") as session:
        import_list(session, sample_list, roles={"score": "mag_r", "label": ""})
        import_list(session, one_spectrum)
        found = lists_of(session)
    assert list(found) == [sample_list, one_spectrum]
    assert found[sample_list]["score"] == "mag_r" and found[sample_list]["label"] == ""
    assert found[sample_list]["path"] == "file" and found[one_spectrum] == {}
