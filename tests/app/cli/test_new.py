"""`spec-o3 new`."""

import pytest

from agent.inspection.inspector_factory import default_model
from app.cli import new as new_command
from app.core.importing.importer import import_list
from app.core.session.own_fields import own_fields
from app.core.session.session import open_session
from tests.app.cli.commands import both_said, fails, invoke, run


def test_new_says_what_was_understood(vetted):
    _, (said, _) = vetted
    assert "few.csv (CSV): 4 of 4 rows" in said and "path: file" in said
    assert "4 candidates for cataclysmic variable" in said


def test_a_role_by_hand(few, tmp_path):
    place = tmp_path / "night.speco3"
    said = run("new", place, few, "--task", "CV", "--role", "score=mag_r", "--role", "label=")
    assert "score: mag_r" in said and "label:" not in said
    result = invoke("new", place, few, "--task", "CV", "--role", "x")
    assert result.exit_code == 2


@pytest.mark.parametrize("watched", [True, False])
def test_progress_of_a_list_whose_name_looks_like_markup(tmp_path, monkeypatch, watched):
    """Drawn where somebody watches; elsewhere not even an empty line is left in a log."""
    path = tmp_path / "a[b].csv"
    path.write_text("object_id,ra,dec\nJ1,1,2\nJ2,1\n", encoding="utf-8")
    if watched:
        monkeypatch.setenv("FORCE_COLOR", "1")
    said = both_said("new", tmp_path / "n.speco3", path, "--task", "CV")
    assert ("reading a[b].csv" in said) is watched and "a[b].csv (CSV): 1 of 2 rows" in said
    assert "row 2: line 3 of the file: 2 cells instead of 3" in said
    if not watched:
        said = both_said("vet", tmp_path / "n.speco3")
        assert said == f"0 inspected with {default_model('CV')}\n"


def test_new_stopped_by_hand(tmp_path, monkeypatch):
    """Nothing is left of it, so that the same command can be given again."""
    path = tmp_path / "many.csv"
    rows = "".join(f"J{number},1,2\n" for number in range(5000))
    path.write_text(f"object_id,ra,dec\n{rows}", encoding="utf-8")
    place = tmp_path / "night.speco3"
    held = []

    def interrupted(session, *words, **options):
        held.append(open_session(place, "Ben", read_only=True))  # somebody looks at it

        def stop(done, total):
            raise KeyboardInterrupt

        return import_list(session, *words, **{**options, "progress": stop})

    monkeypatch.setattr(new_command, "import_list", interrupted)
    result = invoke("new", place, path, "--task", "CV")
    assert result.exit_code == 130
    held.pop().close()
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    assert "5,000 candidates" in run("new", place, path, "--task", "CV")


def test_one_is_told_as_one(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("object_id,ra,dec\nJ1,1,2\n", encoding="utf-8")
    said = run("new", tmp_path / "n.speco3", path, "--task", "CV")
    assert "1 of 1 row imported" in said and "1 candidate for cataclysmic variable" in said
    assert "1 row, all candidates" in run(
        "export", tmp_path / "n.speco3", tmp_path / "n.csv", "--which", "all"
    )


@pytest.fixture
def elsewhere(few, tmp_path):
    """A list that names the spectra of `few` by absolute paths."""
    path = tmp_path / "elsewhere.csv"
    names = [each.name for each in sorted(few.parent.glob("*.gz"))]
    path.write_text("file\n" + "".join(f"{few.parent / name}\n" for name in names))
    return path


def test_absolute_paths_need_the_option_and_leave_nothing(elsewhere, few, tmp_path):
    place = tmp_path / "night.speco3"
    told = fails("new", place, elsewhere, "--task", "CV")
    assert "3 rows name spectra outside the folder of the list" in told and str(few.parent) in told
    assert "--trust-paths" in told
    assert not list(tmp_path.glob("*speco3*"))
    said = run("new", place, elsewhere, "--task", "CV", "--trust-paths")
    assert "3 of 3 rows imported" in said and "files not found" not in said


def test_absolute_paths_of_some_rows_are_counted(elsewhere, tmp_path):
    (tmp_path / "near.fits").write_bytes(b"")
    with elsewhere.open("a") as file:
        file.write("near.fits\n")
    said = both_said("new", tmp_path / "night.speco3", elsewhere, "--task", "CV")
    assert "1 of 4 rows imported" in said
    assert "3 rows name spectra outside the folder of the list, in" in said
    assert "give --trust-paths if you trust the list" in said


def test_a_list_without_a_class_is_for_looking_only(few, tmp_path):
    place = tmp_path / "look.speco3"
    assert "4 candidates for no class" in run("new", place, few, "--task", "look")
    assert "there is no class to judge" in fails("vet", place)
    assert "no task" in fails("new", tmp_path / "other.speco3", few, "--task", "looks")


def test_fields_of_ones_own(few, tmp_path):
    place, more = tmp_path / "night.speco3", tmp_path / "fields.toml"
    more.write_text('[[fields]]\nname = "ebv"\nkind = "number"\n', encoding="utf-8")
    run("new", place, few, "--task", "CV", "--field", "q:choice:good,poor:J", "--fields", more)
    with open_session(place, "Ada", read_only=True) as session:
        assert [each.name for each in own_fields(session)] == ["ebv", "q"]
    said = fails("new", tmp_path / "b.speco3", few, "--task", "CV", "--field", "q:colour")
    assert "a field is NAME:KIND" in said
    assert not (tmp_path / "b.speco3").exists()
