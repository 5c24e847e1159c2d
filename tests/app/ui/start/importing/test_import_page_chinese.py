"""In a Chinese window the import page shows no English: its notes, problems and refused rows."""

import re

import pytest
from PySide6.QtWidgets import QLabel, QTableWidget

from tests.app.ui.start.importing.conftest import run_import, show

ENGLISH = re.compile(r"(?<![\w./~-])[a-z]{2,}(?![\w./-])")
"""A word that is no part of a file's name."""
FAULTY = """name,filename,snr
first,a.fits,10
twice,a.fits,high
# a remark
url,http://example.org/a.fits,1
home,~/a.fits,1
outside,/data/labelled/a.fits,1
short
lost,none.fits,3
,,
"""


pytestmark = pytest.mark.usefixtures("chinese")


def english_in(page):
    """English words that are seen, apart from what stands between quotes."""
    texts = [each.text() for each in page.findChildren(QLabel) if each.isVisible()]
    texts += [box.toolTip() for box in page.list.roles.boxes.values()]
    for table in page.findChildren(QTableWidget):
        cells = (table.item(row, 2) for row in range(table.rowCount()))
        texts += [cell.text() for cell in cells if table.isVisible()]
    assert any("一" <= letter <= "鿿" for letter in "".join(texts))
    return [each for each in texts if ENGLISH.search(re.sub(r'"[^"]*"|https?://\S+', "", each))]


def test_notes_and_refused_rows(qtbot, page, one_spectrum, tmp_path):
    (tmp_path / "a.fits").write_bytes(one_spectrum.read_bytes())
    listed = tmp_path / "a.csv"
    listed.write_text(FAULTY)
    show(qtbot, page, listed)
    assert "同一个文件" in page.list.notes.text() and english_in(page) == []
    run_import(qtbot, page)
    assert page.report.refused.rowCount() == 5 and page.report.notes.text().count("\n") >= 3
    assert english_in(page) == []


@pytest.mark.parametrize(
    "content",
    [
        b"", b"a,b\n1,2\n", b"<html></html>", b"\x89HDF\r\n\x1a\n", b"\x01\x02\x03 no format",
        b"SIMPLE  = damaged", b",".join(b"c%d" % number for number in range(5000)) + b"\n",
        b"<VOTABLE><TABLE><FIELD", b"%ECSV"
    ],
    ids=["empty", "columns", "page", "hdf5", "binary", "fits", "wide", "votable", "text"]
)  # fmt: skip
def test_lists_that_cannot_be_read(qtbot, page, tmp_path, content):
    listed = tmp_path / "a.dat"
    listed.write_bytes(content)
    show(qtbot, page, listed)
    assert page.list.problem.isVisible()
    page.list.problem.show_problem(page.list.problem.text.replace("a.dat", ""))
    assert english_in(page) == []


def test_a_task_file_that_cannot_be_read(qtbot, page, sample_list, tmp_path):
    show(qtbot, page, sample_list)
    task = tmp_path / "X.toml"
    task.write_text('id = "X"\nname = "x"\n')
    page.task.add_file(task)
    qtbot.waitUntil(page.task.problem.isVisible)
    assert page.task.problem.text == f"{task}: title：缺失；应为文本"
