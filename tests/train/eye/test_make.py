from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.models.card_file import read_card
from train.eye.make import EYE, GGUF, RARE, make_seeing_model, read_recipe

SMALL = tuple(
    f"{table}.{change}"
    for table, changes in {
        "lessons": ("windows=1",),
        "school": (
            "hidden=64", "ffn=96", "layers=1", "heads=2", "out=48", "batch=4", "room=40",
            "minutes=0.002",
        ),
        "speech": (
            "minutes=0.002", "hidden_layers=1", "ffn=96", "heads=2", "batch=1", "held_out=2",
        ),
        "rare_speech": ("minutes=0.002", "batch=1", "held_out=2"),
    }.items()
    for change in changes
)  # fmt: skip


def draw_in_threads(patch: pytest.MonkeyPatch) -> None:
    """Lessons and questions without the five seconds of imports that each process takes.

    That processes draw them as well is tested in test_command.py.
    """
    patch.setattr(
        "train.eye.pool.ProcessPoolExecutor", lambda workers, *others: ThreadPoolExecutor(workers)
    )


def test_the_recipe_has_the_settings_of_the_box() -> None:
    recipe = read_recipe()
    assert (recipe.school.layers, recipe.school.ffn) == (8, 576)
    assert recipe.rare_questions.noes > recipe.questions.noes
    assert recipe.rare_questions.survey == recipe.questions.survey  # what it does not override
    assert recipe.rare_speech.lr < recipe.speech.lr


def test_a_setting_without_its_table_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="name its table"):
        read_recipe(["minutes=3"])


def test_a_seeing_model_is_made_and_its_parts_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_in_threads(monkeypatch)
    recipe = read_recipe(SMALL)
    files = make_seeing_model(tmp_path, recipe, seed=1, library="", workers=1)
    assert {path.name for path in files.iterdir()} >= {"model-f16.gguf", "mmproj-f16.gguf"}
    card = read_card(files)
    assert (card.engine, card.style.numbers) == ("gguf", False)
    eye = tmp_path / EYE / "eye.safetensors"
    before = eye.stat().st_mtime_ns
    told: list[str] = []
    for path in sorted((tmp_path / RARE).rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (tmp_path / RARE).rmdir()
    make_seeing_model(tmp_path, recipe, seed=1, library="", workers=1, tell=told.append)
    assert (tmp_path / RARE / "model").is_dir() and (tmp_path / GGUF).is_dir()
    assert eye.stat().st_mtime_ns == before
