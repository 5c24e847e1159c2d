from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import Example, example, write_examples
from tests.agent.scenes import star
from train.evaluate.judges import OtherSpectra, covered

LABELS = ("CV", "CV", "CV", *("WD", "K", "MG") * 9)


def asked(labels: tuple[str, ...] = LABELS, named: bool = True) -> list[Example]:
    found = []
    for seed, label in enumerate(labels):
        answer = "YES" if label == "CV" else "NO"
        told = {"answer": answer, "label": label if named else "", "key": f"CV-{seed}"}
        found.append(example(star(seed), task="CV", **told))
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("set") / "asked.parquet"
    write_examples(path, asked())
    return path


def test_each_gets_a_spectrum_of_another_class(path: Path):
    own = {one.sha256: one for one in asked()}
    others = OtherSpectra(path)
    differing = 0
    for one in asked():
        spectrum, answer = others.of(one)
        drawn = own[replace(one, spectrum=spectrum).sha256]
        assert drawn.label != one.label and drawn.answer == answer
        differing += answer != one.answer
    # All members get a NO, and about half of the others get a member.
    assert len(LABELS) * 0.4 < differing < len(LABELS) * 0.9


def test_it_is_the_same_one_every_time(path: Path):
    first, again = OtherSpectra(path), OtherSpectra(path)
    for one in asked()[:5]:
        assert (first.of(one)[0].flux == again.of(one)[0].flux).all()


def test_without_classes_the_answer_differs(tmp_path: Path):
    rows = asked(("CV", "K", "K"), named=False)
    write_examples(tmp_path / "asked.parquet", rows)
    others = OtherSpectra(tmp_path / "asked.parquet")
    assert [others.of(one)[1] for one in rows] == ["NO", "YES", "YES"]


def test_a_set_of_one_class_is_refused(tmp_path: Path):
    rows = asked(("CV", "CV"))
    write_examples(tmp_path / "asked.parquet", rows)
    with pytest.raises(WorkbenchError, match="no spectrum of another class for CV-0"):
        OtherSpectra(tmp_path / "asked.parquet").of(rows[0])


def test_a_spectrum_that_covers_the_same_wavelengths_is_preferred(tmp_path: Path):
    own = asked(("CV",))[0]
    blue = star(1)
    columns = {name: getattr(blue, name)[:900] for name in ("wavelength", "flux", "ivar")}
    part = replace(blue, **columns)
    assert covered(own.spectrum, part) == pytest.approx(900 / 2600, abs=0.01)
    rows = [own, *(example(each, task="CV", answer="NO", label="K") for each in (part, star(2)))]
    write_examples(tmp_path / "asked.parquet", rows)
    spectrum, _ = OtherSpectra(tmp_path / "asked.parquet").of(own)
    assert len(spectrum) == 2600
