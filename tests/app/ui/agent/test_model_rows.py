"""The models to choose from: what each lacks and how to get it."""

from __future__ import annotations

import pytest

from app.ui.agent.model_rows import model_rows
from tests.app.ui.agent.models import put

pytestmark = pytest.mark.usefixtures("models")


def row_named(title, chosen=""):
    return next(row for row in model_rows(chosen)[0] if row.title == title)


def test_the_measured_inspector_is_first_and_always_available():
    first = model_rows("")[0][0]
    assert (first.key, first.state, first.need) == ("measured", "always available", "")


def test_a_published_model_that_is_missing_says_how_to_get_it(models):
    row = row_named("spec-o3-7b")
    assert row.state == "not on this machine" and "8.3 billion" in row.about
    assert "spec-o3 models get spec-o3-7b" in row.need and str(models) in row.need


def test_the_users_own_models(models):
    put(models / "mine", mine=5, mmproj=5)
    row = row_named("mine")
    assert row.state in ("ready", "its engine is not installed")
    assert "simulations only" in row.about
    (models / "mine" / "mmproj.gguf").unlink()
    row = row_named("mine")
    assert row.state == "incomplete" and "mmproj.gguf is missing" in row.need


def test_a_faulty_folder_is_skipped_and_reported(models):
    (models / "bad").mkdir(parents=True)
    (models / "bad" / "model.toml").write_text("name = [")
    rows, faults = model_rows("")
    assert rows and "bad" in faults


def test_a_model_chosen_by_path_or_address_is_listed(models, tmp_path):
    put(tmp_path / "elsewhere", mine=5, mmproj=5)
    path = str(tmp_path / "elsewhere")
    assert [row.title for row in model_rows(path)[0] if row.key == path] == ["mine"]
    gone = row_named("/no/such/model", "/no/such/model")
    assert gone.state == "not found" and "no model" in gone.need
    server = next(row for row in model_rows("http://localhost:1/v1#m")[0] if row.title == "m")
    assert server.state == "server" and server.need == ""


def test_a_key_in_an_old_address_is_not_shown():
    row = model_rows("https://ada:geheim@host/v1?key=geheim")[0][-1]
    assert row.title == "https://host/v1"
    assert "geheim" not in f"{row.title}{row.about}{row.state}{row.need}"
