"""In a Chinese window what goes wrong is told in Chinese: spectra, models, exports, filters."""

import re

import pytest
from sqlalchemy import update

from app.core.database.tables import candidates

CHINESE = re.compile(r"[\u4e00-\u9fff]")
SENTENCE = re.compile(r"(?<![\w./-])[a-z]{2,} [a-z]{2,}")
"""Two English words after one another; names of readers and of models are single words."""
A_READER = "text table"
pytestmark = pytest.mark.usefixtures("chinese")
BROKEN = {2: b"", 3: b"hello world\n", 4: b"\x1f\x8b\x08\x00" * 9, 5: None, 6: b"wave flux\n1 2\n"}


def assert_chinese(text):
    without = re.sub(r'"[^"]*"|“[^”]*”|`[^`]*`', "", text).replace(A_READER, "")
    assert CHINESE.search(text) and not SENTENCE.search(without), text


def broken_files(person, folder):
    """Give some candidates files that cannot be read."""
    with person.session.database.writing() as connection:
        for number, content in BROKEN.items():
            file = folder / f"{number}.fits"
            if content is not None:
                file.write_bytes(content)
            row = candidates.c.id == number
            connection.execute(update(candidates).where(row).values(path=str(file)))


def test_spectra_that_cannot_be_read(person, tmp_path):
    broken_files(person, tmp_path)
    person.current.go_to(9)  # its neighbours were read ahead
    person.sees(9)
    for number in BROKEN:
        person.current.go_to(number)
        person.wait(lambda: person.current.fault)
        message = person.plot.empty_message
        assert message.reason.isVisible()
        assert_chinese(message.title.text())
        assert_chinese(message.reason.text())
        person.press("V")
        assert_chinese(person.view.status.message.full_text)


def test_exports_filters_and_models_that_fail(person, tmp_path):
    person.window.commands.run("export")
    dialog = person.view.dialogs.export
    folder = tmp_path / "full.csv"
    folder.mkdir()
    dialog.file.set_path(folder)
    dialog.write()
    person.wait(lambda: not dialog.is_writing)
    assert dialog.problem.isVisible()
    assert_chinese(dialog.problem.label.text())
    dialog.hide()
    # A filter that is not one.
    bar = person.view.judging.docks["queue"].part.filters
    for text in ("p_yes>", "snr:high", "(", "nothing:1", "verdict:maybe"):
        bar.edit.setText(text)
        bar.edit.parse()
        told = re.sub(r"：[a-z_, .OLUMN]+", "", bar.fault.text())
        assert_chinese(told.replace("或 unjudged", ""))
    # A model that is not there.
    agent = person.view.context.agent
    for model in ["nowhere", "spec-o3-7b", "http://example.org/v1#x", "https://a:b@example.org/v1"]:
        agent.choose_model(model)
        person.wait(lambda: agent.worker_model.fault and not agent.worker_model.is_loading)
        assert_chinese(person.view.judging.docks["agent"].part.head.state.full_text)
        assert_chinese(person.view.status.message.full_text)
    # A server that does not answer.
    agent.choose_model("http://127.0.0.1:9/v1#x")
    person.wait(lambda: not agent.worker_model.is_loading)
    person.press("V")
    person.wait(lambda: not agent.runs and agent.shown.trajectory is not None)
    line = person.view.judging.docks["agent"].part.verdict
    assert "127.0.0.1:9" in line.p_yes.full_text
    assert_chinese(line.p_yes.full_text)
