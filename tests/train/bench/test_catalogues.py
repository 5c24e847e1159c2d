from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.bench.conftest import Made
from tests.train.bench.helpers import small
from train.bench.build import build
from train.bench.catalogues import catalogue_files, catalogued


def test_members_are_found_by_place_or_by_name(made: Made, tmp_path: Path):
    sources = made.bench.sources
    ra, dec = float(sources.ra[0]), float(sources.dec[0])
    (tmp_path / "a.csv").write_text(f"_RA,DEJ2000\n{ra},{dec + 2 / 3600}\n12.0,nan\n")
    (tmp_path / "b.csv").write_text(f"designation\n{sources.object_id[5]}\n")
    files = catalogue_files([f"CV={tmp_path / 'a.csv'}", f"cv={tmp_path / 'b.csv'}"])
    found = catalogued(sources, ["CV"], files, 0.0, 0)["CV"]
    objects = {int(sources.object[0]), int(sources.object[5])}
    assert set(sources.object[found].tolist()) == objects
    assert found.sum() == sum(int(each) in objects for each in sources.object)


def test_a_part_of_the_members_is_missing_from_a_simulated_catalogue(made: Made):
    sources = made.bench.sources
    is_true = sources.label == "CV"
    all_ = catalogued(sources, ["CV"], {}, 0.0, 1)["CV"]
    assert (all_ == is_true).all()
    most = catalogued(sources, ["CV"], {}, 0.4, 1)["CV"]
    assert 0.4 < most.sum() / is_true.sum() < 0.8 and not (most & ~is_true).any()
    assert set(sources.object[most]).isdisjoint(sources.object[is_true & ~most])
    assert (catalogued(sources, ["CV"], {}, 0.4, 1)["CV"] == most).all()


@pytest.mark.parametrize("text", ["CV", "CV=", "CV=/no/such/file.csv", "XX=/etc/hostname"])
def test_what_is_no_catalogue_is_refused(text: str):
    with pytest.raises(WorkbenchError):
        catalogue_files([text])


def test_a_list_of_strangers_makes_sets_without_truth(made: Made, tmp_path: Path):
    """Catalogues from files and spectra from lists, as with a real survey."""
    sources = made.bench.sources
    places = np.column_stack([sources.ra, sources.dec])
    texts = []
    for task in ("CV", "CS", "WD"):
        its = places[sources.label == task]
        np.savetxt(tmp_path / f"{task}.csv", its, delimiter=",", header="ra,dec", comments="")
        texts.append(f"{task}={tmp_path / task}.csv")
    archives = []
    for each in made.archives[:1]:
        folder = tmp_path / each.name
        folder.mkdir()
        for path in each.glob("*.npz"):
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / "candidates.csv").write_bytes((each / "candidates.csv").read_bytes())
        archives.append(folder / "candidates.csv")
    bench = build(tmp_path / "out", archives, small(), catalogues=catalogue_files(texts))
    assert not bench.simulated and not bench.sources.knows_truth
    assert all(found.members_accepted is None for found in bench.tasks.values())
    assert {row.answer for row in bench.files["test"]} == {"YES", "NO"}


def test_without_any_catalogue_the_first_missing_one_is_named(made: Made, tmp_path: Path):
    (folder,) = made.archives[:1]
    (tmp_path / "list.csv").write_text("file\n" + "\n".join(p.name for p in folder.glob("*.npz")))
    with pytest.raises(WorkbenchError, match="--catalogue CV=FILE"):
        build(tmp_path, [tmp_path / "list.csv"], small(), catalogues={}, spectra_folder=folder)
