"""Settings survive a round trip through their file; a faulty file or value costs only itself."""

import os
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from app.core.reviewer_name import MAX_BYTES, settings_path
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_check import CHECKS
from app.ui.base.settings.settings_store import SettingsStore, read_settings

FULL = Settings(
    reviewer='Ádá 李 "O\'Neil" \\', language="zh", theme="dark", font_pt=13, profile="marz",
    keys={"accept": ("J", "Shift+J"), "zoom_in": ('"',)}, blind=True, device="cpu", watch=True,
    model="http://localhost:8000/v1#a", workers=3, samp=True, subclass_seconds=2.5,
    subclass_sticky=True, neighbour_arcsec=4.5, sheet_size=60, comments=("Broad Hα", "宽发射线"),
    line_lists=("/data/  two blanks.toml",), templates=("C:\\data\\m.fits",), services=("gaia",),
    service_changes={"gaia.release": "DR4"}, told=("name", "tour"),
    recent=("/a.speco3", "/b.speco3"),
    view={"lines": False, "smoothing": 3, "line_sets": ("balmer", "sky")}, layout="QUJD"
)  # fmt: skip


FAULTY = (
    'theme = "pink"', "theme = ['dark']", "font_pt = 900", "font_pt = true", "font_pt = 12.5",
    "workers = -1", "neighbour_arcsec = nan", "neighbour_arcsec = inf", 'profile = "emacs"',
    "blind = 1", 'reviewer = "a\\nb"', f'reviewer = "{"x" * 81}"', "comments = 'one'",
    f"recent = {['x'] * 13}", "keys = {accept = 'A'}", "keys = {accept = ['Nonsense+A']}",
    "keys = {accept = [1]}", "view = {lines = {a = 1}}", 'layout = "%%"'
)  # fmt: skip


@pytest.fixture
def path(tmp_path, qapp):
    """In a folder that is not there yet; the store writes on a timer of the application."""
    return tmp_path / "deep" / "settings.toml"


def reopened(path, **changes):
    """A store on the file that another store has written with these changes."""
    store = SettingsStore(path)
    store.change(**changes)
    store.close()
    return SettingsStore(path)


def store_with(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return SettingsStore(path)


def test_settings_come_back_and_what_a_newer_version_wrote_stays(path):
    changes = {each.name: getattr(FULL, each.name) for each in fields(Settings)}
    assert reopened(path, **changes).settings == FULL
    assert all(value != getattr(Settings(), name) for name, value in changes.items())
    assert set(CHECKS) == set(changes)
    store = store_with(path, 'future = ["a", "b"]\nspeed = 3\nnested = {a = 1}\n')
    assert store.fault == ""
    store.change(theme="dark")
    store.close()
    values = tomllib.loads(path.read_text())
    assert (values["future"], values["speed"]) == (["a", "b"], 3)
    again = reopened(path, recent=("/a\nb.speco3",), theme="dark")
    assert (again.fault, again.settings.theme) == ("", "dark")


def test_every_backup_has_a_name_of_its_own(path):
    for number, name in enumerate(("settings.toml.bak", "settings.toml.bak-2"), 1):
        assert store_with(path, f"theme = {number}").fault.endswith(name)
        assert path.with_name(name).read_text() == f"theme = {number}"


def test_a_folder_in_the_place_of_the_file(path):
    path.mkdir(parents=True)
    store = SettingsStore(path)
    assert store.settings == Settings() and "not a file" in store.fault


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_one(tmp_path, path):
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    path.parent.mkdir()
    path.symlink_to(real)
    reopened(path, theme="dark")
    assert path.is_symlink() and 'theme = "dark"' in real.read_text()


def test_a_file_that_cannot_be_read(path, monkeypatch):
    store_with(path, "")
    monkeypatch.setattr(Path, "open", _refuse)
    read = read_settings(path)
    assert read.settings == Settings() and read.faults == ("no rights",)


def _refuse(*arguments, **options):
    raise PermissionError(13, "no rights")


def test_one_faulty_value_costs_only_itself(path):
    for line in FAULTY:
        store = store_with(path, f'model = "mine"\n{line}\n')
        assert store.settings == Settings(model="mine") and line.split()[0] in store.fault
    store = store_with(path, "[keys]\nfly = ['Q']\naccept = ['J']\n")
    assert (dict(store.settings.keys), store.fault) == ({"accept": ("J",)}, "")


def test_without_a_file_all_is_as_it_comes(path):
    store = SettingsStore(path)
    assert (store.settings, store.fault) == (Settings(), "")
    store.close()
    assert not path.exists()


def test_it_is_written_soon_after_a_change(qtbot, path):
    store = SettingsStore(path)
    store.change(theme="dark")
    qtbot.waitUntil(path.exists)
    assert tomllib.loads(path.read_text())["theme"] == "dark"
    assert [each.name for each in path.parent.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    "text",
    [
        "theme = ", b"\xff\xfe\x00", "a = " + "[" * 5000, "n = " + "9" * 5000,
        "# " + "x" * MAX_BYTES
    ]
)  # fmt: skip
def test_a_faulty_file_is_kept_aside_and_told(path, text):
    store = store_with(path, text)
    assert store.settings == Settings() and "settings.toml.bak" in store.fault
    old = text if isinstance(text, bytes) else text.encode()
    assert path.with_name("settings.toml.bak").read_bytes() == old


def test_where_nothing_can_be_written_it_says_so_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = SettingsStore(tmp_path / "file" / "settings.toml")
    messages = []
    store.write_failed.connect(messages.append)
    for theme in ("dark", "light"):
        store.change(theme=theme)
        store.close()
    assert store.settings.theme == "light" and len(messages) == 1
    assert "cannot be written" in messages[0]


def test_the_folder_can_be_chosen_and_without_a_path_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = SettingsStore()
    store.change(theme="dark")
    store.flush()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    assert settings_path() == tmp_path / "settings.toml"
    monkeypatch.delenv("SPEC_O3_CONFIG")
    assert "spec-o3-workbench" in str(settings_path())
