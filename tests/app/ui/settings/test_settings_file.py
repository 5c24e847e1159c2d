"""Settings survive a round trip through their file, and a faulty file is backed up."""

from __future__ import annotations

import os
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from app.core.reviewer_name import settings_path
from app.ui.settings.settings import Settings
from app.ui.settings.settings_check import CHECKS
from app.ui.settings.settings_file import read_settings
from app.ui.settings.settings_store import SettingsStore
from tests.app.ui.settings.helpers import reopened, store_with

FULL = Settings(
    reviewer='Ádá 李 "O\'Neil" \\',
    language="zh",
    theme="dark",
    font_pt=13,
    profile="marz",
    keys={"accept": ("J", "Shift+J"), "zoom_in": ('"',)},
    blind=True,
    device="cpu",
    watch=True,
    model="http://localhost:8000/v1#a",
    workers=3,
    samp=True,
    subclass_seconds=2.5,
    subclass_sticky=True,
    neighbour_arcsec=4.5,
    comments=("Broad Hα", "宽发射线"),
    line_lists=("/data/  two blanks.toml",),
    templates=("C:\\data\\m.fits",),
    services=("gaia",),
    service_changes={"gaia.release": "DR4"},
    told=("name", "tour"),
    recent=("/a.speco3", "/b.speco3"),
    view={"lines": False, "smoothing": 3, "line_sets": ("balmer", "sky")},
    layout="QUJD",
)


def test_every_setting_comes_back(path):
    changes = {each.name: getattr(FULL, each.name) for each in fields(Settings)}
    assert reopened(path, **changes).settings == FULL
    assert all(value != getattr(Settings(), name) for name, value in changes.items())
    assert set(CHECKS) == set(changes)


def test_every_backup_has_a_name_of_its_own(path):
    for number, name in enumerate(("settings.toml.bak", "settings.toml.bak-2"), 1):
        assert store_with(path, f"theme = {number}").fault.endswith(name)
        assert path.with_name(name).read_text() == f"theme = {number}"


def test_what_a_newer_version_wrote_is_not_lost(path):
    store = store_with(path, 'future = ["a", "b"]\nspeed = 3\nnested = {a = 1}\n')
    assert store.fault == ""
    store.change(theme="dark")
    store.close()
    values = tomllib.loads(path.read_text())
    assert (values["future"], values["speed"]) == (["a", "b"], 3)


def test_a_folder_in_the_place_of_the_file(path):
    path.mkdir(parents=True)
    store = SettingsStore(path)
    assert store.settings == Settings()
    assert "not a file" in store.fault


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_one(tmp_path, path):
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    path.parent.mkdir()
    path.symlink_to(real)
    reopened(path, theme="dark")
    assert path.is_symlink()
    assert 'theme = "dark"' in real.read_text()


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    assert settings_path() == tmp_path / "settings.toml"
    monkeypatch.delenv("SPEC_O3_CONFIG")
    assert "spec-o3-workbench" in str(settings_path())


def test_a_file_that_cannot_be_read(path, monkeypatch):
    store_with(path, "")
    monkeypatch.setattr(Path, "open", _refuse)
    read = read_settings(path)
    assert read.settings == Settings()
    assert read.faults == ("no rights",)


def _refuse(*arguments, **options):
    raise PermissionError(13, "no rights")
