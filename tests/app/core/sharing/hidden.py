"""Sessions of the bundled sample with known answers hidden in them."""

import csv
from functools import cache
from pathlib import Path

from app.core.session.known_answers import read_known_answers
from app.core.sharing.known.hide import hide_known
from app.core.sharing.known.labelled_list import Labelled
from tests.app.ui.candidates import SAMPLE

LIST = 20


@cache
def labelled() -> list[Labelled]:
    """The rows of the sample that are not in the list of `sample_file(folder, LIST)`."""
    with (SAMPLE / "truth.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        Labelled(
            path=str(SAMPLE / row["file"]), row=int(row["row"]), class_name=row["label"],
            is_member=row["label"] == "CV", object_id=row["object_id"], ra=float(row["ra"]),
            dec=float(row["dec"]), snr=float(row["snr"]),
        )
        for row in rows[LIST:]
    ]  # fmt: skip


def labels_file(folder, column="label"):
    """A list of those rows, the class in this column; their spectra are elsewhere."""
    path = folder / "labels.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("object_id", "file", "row", column))
        for each in labelled():
            place = Path(each.path).relative_to(SAMPLE)
            writer.writerow((each.object_id, place, each.row, each.class_name))
    return path


def hide(session, rate=20.0, seed=1):
    """Hide some and return the known answers by candidate id."""
    hide_known(session, labelled(), rate, seed)
    return known(session)


def known(session):
    with session.database.reading() as connection:
        return read_known_answers(connection)
