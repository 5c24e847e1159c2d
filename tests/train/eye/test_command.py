from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from train.cli import app

FEW = ("--set", "lessons.spectra=6", "--set", "lessons.per_shard=4", "--set", "lessons.windows=1")
SMALL = tuple(
    word
    for change in ("hidden=64", "ffn=96", "layers=1", "heads=2", "out=48", "batch=4")
    for word in ("--set", f"school.{change}")
)


def test_lessons_and_school(tmp_path: Path) -> None:
    run = CliRunner()
    made = run.invoke(app, ["eye", "lessons", str(tmp_path / "lessons"), "--seed", "3", *FEW])
    assert made.exit_code == 0, made.output
    assert len(list((tmp_path / "lessons").glob("lessons-*.npz"))) == 2
    words = ["eye", "school", str(tmp_path / "lessons"), str(tmp_path / "eye"), *SMALL]
    taught = run.invoke(app, words)
    assert taught.exit_code == 0, taught.output
    assert (tmp_path / "eye" / "eye.safetensors").is_file()
    more = run.invoke(
        app, [*words[:3], str(tmp_path / "on"), "--start", str(tmp_path / "eye"), *SMALL]
    )
    assert more.exit_code == 0, more.output


def test_a_folder_without_lessons_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["eye", "school", str(tmp_path), str(tmp_path / "eye")])
    assert result.exit_code != 0
    assert "has no lessons" in str(result.exception)
