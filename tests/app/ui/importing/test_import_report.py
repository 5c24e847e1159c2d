"""The import summary."""

from __future__ import annotations

from tests.app.ui.importing.page_user import pick_column, run_import, show


def test_refused_rows_with_number_and_reason(qtbot, page, tmp_path):
    listed = tmp_path / "mess.csv"
    rows = "".join(f"star {n},{'x' if n == 3 else n},s{n}.fits\n" for n in range(1, 6))
    listed.write_text(f"object_id,number,path\n{rows}star 1,1,s1.fits\n")
    show(qtbot, page, listed)
    pick_column(page, "row", "number")
    qtbot.waitUntil(lambda: page.list.is_ready)
    run_import(qtbot, page)
    told = {name: label.text() for name, label in page.report.values.items()}
    assert told["rows_read"] == "6"
    assert (told["rows_used"], told["duplicates"], told["rows_refused"]) == ("4", "1", "1")
    assert told["missing_files"] != "0"
    table = page.report.refused
    assert [table.item(0, column).text() for column in range(3)] == [
        "mess.csv",
        "3",
        '"x" is not a row number of a spectrum file',
    ]
    assert table.isVisible()
