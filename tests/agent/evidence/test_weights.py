"""Weights of the tasks: fitted ones that fit the task, the file's own otherwise."""

from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.evidence.weights import UNFITTED_WEIGHT, read_weights, weights_for
from agent.tasks.catalogue import find_task
from tests.agent.tasks.test_catalogue import example

FILE = """
[[tasks]]
id = "X"
intercept = -1.5
kind = 0.8
claims = ["one", "two"]
weights = [0.4, 0]
"""


def put(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "tasks.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("task_id", ["CV", "CS", "SS", "MG", "WD", "O", "B", "A"])
def test_every_bundled_task_has_fitted_weights_of_its_own_claims(task_id):
    weights = weights_for(find_task(task_id))
    assert weights.is_fitted and weights.kind > 0
    assert list(weights.claims) == [entry.id for entry in find_task(task_id).evidence]
    assert all(weight >= 0 for weight in weights.claims.values())
    assert sum(weights.claims.values()) > 1.0


def test_a_changed_or_own_task_falls_back_on_its_file(tmp_path: Path):
    cv = find_task("CV")
    fewer = replace(cv, evidence=cv.evidence[:3])
    for own in (fewer, replace(cv, path=tmp_path / "cv.toml")):
        weights = weights_for(own)
        assert not weights.is_fitted and weights.kind == 0.0
        assert set(weights.claims.values()) == {UNFITTED_WEIGHT}
    path = tmp_path / "be.toml"
    path.write_text(example(), encoding="utf-8")
    assert set(weights_for(find_task(str(path))).claims) == {"halpha_emission", "hei_absorption"}


def test_a_file_of_weights_is_read(tmp_path: Path):
    weights = read_weights(put(tmp_path, FILE))["X"]
    assert (weights.intercept, weights.kind) == (-1.5, 0.8)
    assert dict(weights.claims) == {"one": 0.4, "two": 0.0}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[0.4, 0]", "[0.4]", "expected 2 numbers"),
        ("[0.4, 0]", "[0.4, -1]", "weights"),
        ("kind = 0.8", "kind = -0.8", "kind"),
        ("kind = 0.8", "kind = 0.8\nspin = 2", "spin"),
        ("intercept = -1.5", "intercept = inf", "intercept"),
    ],
)
def test_a_faulty_file_of_weights_is_refused(tmp_path: Path, old: str, new: str, words: str):
    with pytest.raises(ResourceError, match=words):
        read_weights(put(tmp_path, FILE.replace(old, new, 1)))
