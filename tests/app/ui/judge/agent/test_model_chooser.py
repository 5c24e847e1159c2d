"""Choosing a model: listed ones, folders, files and servers; what each lacks and how to get it."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from agent.evidence.assessment import builtin_fingerprint
from agent.inspection import built_in
from agent.models.wordings import keep_wording
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.ui.judge.agent.model_chooser import ModelChooser, model_rows, size_text
from tests.agent.protocol.wordings import wording
from tests.app.ui.judge.agent.conftest import put
from tests.app.ui.judge.agent.trajectories import record

pytestmark = pytest.mark.usefixtures("models")
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def chooser(qtbot, context):
    window = QWidget()
    qtbot.addWidget(window)
    chooser = ModelChooser(context.runner, context.bridge.session, window)
    chooser.open_at(QPoint(0, 0), "")
    qtbot.waitUntil(lambda: chooser.list.count() > 0)
    yield chooser
    chooser.close()


def click(qtbot, chooser, title):
    rows = (chooser.list.item(place) for place in range(chooser.list.count()))
    item = next(row for row in rows if row.text().startswith(title))
    chooser.list.scrollToItem(item)
    at = chooser.list.visualItemRect(item).center()
    qtbot.mouseClick(chooser.list.viewport(), LEFT, pos=at)


def test_a_click_a_folder_or_a_file_chooses_and_escape_nothing(qtbot, chooser, monkeypatch):
    with qtbot.waitSignal(chooser.chosen) as chosen:
        click(qtbot, chooser, "measured")
    assert chosen.args == ["measured"] and not chooser.isVisible()
    chooser.show()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *about: "/models/mine")
    with qtbot.waitSignal(chooser.chosen) as chosen:
        qtbot.mouseClick(chooser.folder, LEFT)
    assert chosen.args == ["/models/mine"]
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *about: ("/m/a.gguf", ""))
    with qtbot.waitSignal(chooser.chosen) as chosen:
        chooser.show()
        qtbot.mouseClick(chooser.file, LEFT)
    assert chosen.args == ["/m/a.gguf"]
    chooser.show()
    with qtbot.assertNotEmitted(chooser.chosen):
        qtbot.keyClick(chooser.list, Qt.Key.Key_Escape)
    assert not chooser.isVisible()


@pytest.mark.parametrize("corner", [(5000, 5000), (-50, -50), (780, 790)])
def test_it_never_runs_off_the_screen(qtbot, chooser, corner):
    chooser.close()
    chooser.open_at(QPoint(*corner), "")
    assert chooser.screen().availableGeometry().contains(chooser.geometry())
    click(qtbot, chooser, "spec-o3-7b")
    assert chooser.note.isVisible()
    assert chooser.screen().availableGeometry().contains(chooser.geometry())


def test_rows_missing_models_and_addresses(chooser, qtbot, context):
    texts = [chooser.list.item(place).text() for place in range(chooser.list.count())]
    measured = next(text for text in texts if text.startswith("measured"))
    assert "Needs nothing" in measured and "not yet compared with your own verdicts" in measured
    assert not any("0.0 GB" in text for text in texts)
    click(qtbot, chooser, "spec-o3-7b")
    assert chooser.isVisible() and "spec-o3 models get spec-o3-7b" in chooser.note.text()
    for secret in ("s://ada:geheim@host/v1#m", "s://geheim@host", "://h/v1?key=geheim"):
        chooser.address.setText(f"http{secret}")
        with qtbot.assertNotEmitted(chooser.chosen):
            qtbot.keyClick(chooser.address, Qt.Key.Key_Return)
        assert "SPEC_O3_API_KEY" in chooser.note.text()
    chooser.address.clear()
    qtbot.keyClicks(chooser.address, "localhost:8080")
    qtbot.mouseClick(chooser.use, LEFT)
    assert "http://" in chooser.note.text()
    chooser.address.setText("http://localhost:8080/v1#m")
    with qtbot.waitSignal(chooser.chosen) as chosen:
        qtbot.keyClick(chooser.address, Qt.Key.Key_Return)
    assert chosen.args == ["http://localhost:8080/v1#m"]


@pytest.fixture
def row_named(session):
    def found(title, chosen=""):
        return next(row for row in model_rows(chosen, session)[0] if row.title == title)

    return found


def test_the_measured_inspector_is_first_and_others_say_how_to_get_them(session, models, row_named):
    first = model_rows("", session)[0][0]
    assert (first.key, first.state, first.need) == ("measured", "always available", "")
    assert first.head == "measured · always available · reads numbers"
    assert first.quality == "not yet timed here · F1 98.6 % on real spectra"
    row = row_named("spec-o3-7b")
    assert row.state == "not on this machine" and "8.3 billion" in row.about
    assert "spec-o3 models get spec-o3-7b" in row.need and str(models) in row.need
    assert size_text(7_847_616) == "8 MB" and size_text(12) == "1 MB"
    assert size_text(16_600_000_000) == "16.6 GB"
    assert row.quality == "not yet timed here · no figure on real spectra"
    eye = row_named("nano-eye")
    assert eye.reads == "reads pictures" and "F1 87.5 % on real spectra (71.0–91.7)" in eye.quality
    assert "15 MB" in eye.about and eye.needs == "llama.cpp and about 15 MB of memory"
    assert "GPU with about 16." in row_named("spec-o3-7b").needs
    row = model_rows("https://ada:geheim@host/v1?key=geheim", session)[0][-1]
    assert row.title == "https://host/v1"
    assert "geheim" not in f"{row.title}{row.about}{row.state}{row.need}"


def test_own_models_faulty_folders_and_those_chosen_by_path(models, row_named, session, tmp_path):
    put(models / "mine", mine=5, mmproj=5)
    row = row_named("mine")
    assert row.state in ("ready", "its engine is not installed")
    assert "simulations only" in row.about
    (models / "mine" / "mmproj.gguf").unlink()
    row = row_named("mine")
    assert row.state == "incomplete" and "mmproj.gguf is missing" in row.need
    (models / "bad").mkdir(parents=True)
    (models / "bad" / "model.toml").write_text("name = [")
    rows, faults = model_rows("", session)
    assert rows and "bad" in faults
    put(tmp_path / "elsewhere", mine=5, mmproj=5)
    path = str(tmp_path / "elsewhere")
    assert [row.title for row in model_rows(path, session)[0] if row.key == path] == ["mine"]
    gone = row_named("/no/such/model", "/no/such/model")
    assert gone.state == "not found" and "no model" in gone.need
    server = row_named("m", "http://localhost:1/v1#m")
    assert server.state == "server" and server.need == ""
    gone = row_named("nano", "nano")
    assert gone.state == "not found"
    assert gone.need == "the model nano is no longer part of this program: use nano-eye"


def test_a_model_says_how_often_it_agreed_with_the_person(session, row_named):
    model = ModelRef(name="measured", engine="measured", sha256=builtin_fingerprint())
    given = [Verdict.ACCEPT, Verdict.REJECT, Verdict.ACCEPT, Verdict.UNSURE]
    for number, verdict in enumerate(given, start=1):
        session.record_verdict(number, Opinion(verdict=verdict))
        add_inspection(session, number, record(model=model, seconds=0.5))
    add_inspection(session, 5, record(model=model))
    assert row_named("measured").quality.startswith("0.5 s each here · ")
    assert row_named("measured").record == "agreed with you on 2 of 3 you judged (67 %)"
    assert row_named("nano-eye").record == "not yet compared with your own verdicts"


def test_the_panel_is_offered_where_its_model_and_engine_are_there(
    row_named, tmp_path, monkeypatch
):
    monkeypatch.setattr(built_in, "BUNDLED", tmp_path)
    row = row_named("panel")
    assert row.state == "not on this machine" and row.ref == ("", "")
    assert row.need == "Needs the bundled model nano-eye, which is not here"
    put(tmp_path / "nano-eye", mine=5, mmproj=5)
    monkeypatch.setattr("agent.engines.kind.find_spec", lambda name: name == "llama_cpp" or None)
    row = row_named("panel")
    assert (row.state, row.need) == ("ready", "") and "measured" in row.about
    assert "pictures and numbers" in row.head
    ref = built_in.BuiltInPanel().ref()
    assert row.ref == (ref.name, ref.sha256)
    monkeypatch.setattr("agent.engines.kind.find_spec", lambda name: None)
    row = row_named("panel")
    assert row.state == "its engine is not installed" and "llama.cpp" in row.need


def test_a_model_that_is_not_asked_in_its_own_words_says_so(models, session, row_named):
    put(models / "mine", mine=5, mmproj=5)
    card = models / "mine" / "model.toml"
    card.write_text('wording = "spec-o3"\n' + card.read_text())
    assert "asked in our words" in row_named("mine").about
    assert "asked in our words" not in row_named("spec-o3-7b").about  # comes with the model
    folder = keep_wording(replace(wording(), name="spec-o3"))
    assert "asked in our words" not in row_named("mine").about
    (folder / "system.txt").write_text("changed")
    rows, faults = model_rows("", session)
    assert "system.txt is not the text" in faults
    assert "mine" not in {row.title for row in rows} and rows[0].title == "measured"
