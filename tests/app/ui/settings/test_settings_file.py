"""Settings come back; what is wrong in their file costs nothing but itself."""

from __future__ import annotations

import os
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from app.core.settings_path import MAX_BYTES, settings_path
from app.ui.settings.settings import Settings
from app.ui.settings.settings_check import CHECKS
from app.ui.settings.settings_file import read_settings
from app.ui.settings.settings_keeper import SettingsKeeper

FULL = Settings(
    reviewer='Ádá 李 "O\'Neil" \\',
    language="zh",
    theme="dark",
    font_pt=13,
    profile="marz",
    keys={"accept": ("J", "Shift+J"), "zoom_in": ('"',)},
    blind=True,
    model="http://localhost:8000/v1#a",
    workers=3,
    neighbour_arcsec=4.5,
    comments=("Broad Hα", "宽发射线"),
    line_lists=("/data/  two blanks.toml",),
    templates=("C:\\data\\m.fits",),
    told=("name", "tour"),
    recent=("/a.speco3", "/b.speco3"),
    view={"lines": False, "smoothing": 3, "line_sets": ("balmer", "sky")},
    layout="QUJD",
)

pytestmark = pytest.mark.usefixtures("qapp")  # their file is written by a timer


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "settings.toml"


def kept(path, **changes):
    keeper = SettingsKeeper(path)
    keeper.change(**changes)
    keeper.close()
    return SettingsKeeper(path)


def wrote(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return SettingsKeeper(path)


def test_every_setting_comes_back(path):
    changes = {each.name: getattr(FULL, each.name) for each in fields(Settings)}
    assert kept(path, **changes).settings == FULL
    assert all(value != getattr(Settings(), name) for name, value in changes.items())
    assert set(CHECKS) == set(changes)


def test_without_a_file_all_is_as_it_comes(path):
    keeper = SettingsKeeper(path)
    assert (keeper.settings, keeper.fault) == (Settings(), "")
    keeper.close()
    assert not path.exists()


def test_it_is_written_soon_after_a_change(qtbot, path):
    keeper = SettingsKeeper(path)
    keeper.change(theme="dark")
    qtbot.waitUntil(path.exists)
    assert tomllib.loads(path.read_text())["theme"] == "dark"
    assert [each.name for each in path.parent.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    "text",
    [
        "theme = ",
        b"\xff\xfe\x00",
        "a = " + "[" * 5000,
        "n = " + "9" * 5000,
        "# " + "x" * MAX_BYTES,
    ],
)
def test_a_faulty_file_is_kept_aside_and_told(path, text):
    keeper = wrote(path, text)
    assert keeper.settings == Settings()
    assert "settings.toml.bak" in keeper.fault
    old = text if isinstance(text, bytes) else text.encode()
    assert path.with_name("settings.toml.bak").read_bytes() == old


def test_every_backup_has_a_name_of_its_own(path):
    for number, name in enumerate(("settings.toml.bak", "settings.toml.bak-2"), 1):
        assert wrote(path, f"theme = {number}").fault.endswith(name)
        assert path.with_name(name).read_text() == f"theme = {number}"


@pytest.mark.parametrize(
    "line",
    [
        'theme = "pink"',
        "theme = ['dark']",
        "font_pt = 900",
        "font_pt = true",
        "font_pt = 12.5",
        "workers = -1",
        "neighbour_arcsec = nan",
        "neighbour_arcsec = inf",
        'profile = "emacs"',
        "blind = 1",
        'reviewer = "a\\nb"',
        f'reviewer = "{"x" * 81}"',
        "comments = 'one'",
        f"recent = {['x'] * 13}",
        "keys = {accept = 'A'}",
        "keys = {accept = ['Nonsense+A']}",
        "keys = {accept = [1]}",
        "view = {lines = {a = 1}}",
        'layout = "%%"',
    ],
)
def test_one_faulty_value_costs_only_itself(path, line):
    keeper = wrote(path, f'model = "mine"\n{line}\n')
    assert keeper.settings == Settings(model="mine")
    assert line.split()[0] in keeper.fault


def test_what_a_newer_version_wrote_is_not_lost(path):
    keeper = wrote(path, 'future = ["a", "b"]\nspeed = 3\nnested = {a = 1}\n')
    assert keeper.fault == ""
    keeper.change(theme="dark")
    keeper.close()
    values = tomllib.loads(path.read_text())
    assert (values["future"], values["speed"]) == (["a", "b"], 3)


def test_actions_of_another_version_are_left_out(path):
    keeper = wrote(path, "[keys]\nfly = ['Q']\naccept = ['J']\n")
    assert (dict(keeper.settings.keys), keeper.fault) == ({"accept": ("J",)}, "")


def test_nothing_is_written_that_would_be_a_fault(path):
    again = kept(path, recent=("/a\nb.speco3",), theme="dark")
    assert (again.fault, again.settings.theme) == ("", "dark")


def test_a_folder_in_the_place_of_the_file(path):
    path.mkdir(parents=True)
    keeper = SettingsKeeper(path)
    assert keeper.settings == Settings()
    assert "not a file" in keeper.fault


def test_where_nothing_can_be_written_it_says_so_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    keeper = SettingsKeeper(tmp_path / "file" / "settings.toml")
    said = []
    keeper.said.connect(said.append)
    for theme in ("dark", "light"):
        keeper.change(theme=theme)
        keeper.close()
    assert keeper.settings.theme == "light"
    assert len(said) == 1
    assert "cannot be written" in said[0]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_one(tmp_path, path):
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    path.parent.mkdir()
    path.symlink_to(real)
    kept(path, theme="dark")
    assert path.is_symlink()
    assert 'theme = "dark"' in real.read_text()


def test_without_a_path_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keeper = SettingsKeeper()
    keeper.change(theme="dark")
    keeper.flush()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    assert settings_path() == tmp_path / "settings.toml"
    monkeypatch.delenv("SPEC_O3_CONFIG")
    assert "spec-o3-workbench" in str(settings_path())


def test_a_file_that_cannot_be_read(path, monkeypatch):
    wrote(path, "")
    monkeypatch.setattr(Path, "open", _refuse)
    read = read_settings(path)
    assert read.settings == Settings()
    assert read.faults == ("no rights",)


def _refuse(*arguments, **options):
    raise PermissionError(13, "no rights")
