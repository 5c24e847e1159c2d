"""Spectra and settings that are broken, on the whole window."""

import shutil

import pytest

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.records import Verdict
from app.core.session.session import new_session
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.whole_window import before_window


@pytest.fixture
def broken(tmp_path):
    """Six files: valid, truncated, missing, empty, no spectrum, valid."""
    whole = sorted((SAMPLE / "spectra").rglob("spec-9*.fits.gz"))[:2]
    first, last = (shutil.copy(each, tmp_path / each.name) for each in whole)
    cut = tmp_path / "cut.fits.gz"
    cut.write_bytes(whole[0].read_bytes()[:3000])
    (tmp_path / "empty.fits").touch()
    (tmp_path / "words.fits").write_text("not a spectrum")
    names = (first, cut, "missing.fits", "empty.fits", "words.fits", last)
    listed = tmp_path / "list.csv"
    rows = "".join(f"{number},{tmp_path / name}\n" for number, name in enumerate(names, 1))
    listed.write_text(f"object_id,file\n{rows}", encoding="utf-8")
    place = tmp_path / "broken.speco3"
    with new_session(place, find_task("CV"), "Ada") as session:
        import_list(session, listed)
        assert session.count() == 6
    return place


def test_a_broken_spectrum_says_why_and_is_passed(qtbot, broken):
    reasons = []
    with before_window(qtbot, broken) as person:
        message = person.plot.empty_message
        for number in range(2, 6):
            person.press("n")
            person.wait(lambda wanted=number: person.number == wanted and person.current.fault)
            assert message.isVisible()
            reasons.append(person.current.fault)
            assert person.reads(reasons[-1])
            for key in "axu":
                person.press(key)
            assert "cannot be read" in person.view.status.message.full_text
            assert not person.view.judging.verdicts.buttons[Verdict.ACCEPT].isEnabled()
            person.press("*")  # but noted it can be
        person.press("n", sees=6)
        assert not message.isVisible()
        person.go(1)
        person.press("a")
        person.sees(6)  # judging goes on with what can be read
        assert person.verdicts() == {1: "ACCEPT"}
        person.wait(lambda: all(person.session.candidate(n).fault for n in range(2, 6)))
    assert len(set(reasons)) == 4 and "missing.fits" in reasons[1]


@pytest.mark.parametrize("is_at_once", [False, True])
def test_faulty_settings_are_set_aside_and_reported(qtbot, tmp_path, place, is_at_once):
    path = tmp_path / "config" / "settings.toml"
    path.parent.mkdir()
    text = 'theme = "pink"\nlayout = "%%%"\nview = 3\nkeys = ["A"'
    path.write_text(text, encoding="utf-8")
    settings = SettingsStore(path)
    assert settings.settings == Settings()
    with before_window(qtbot, place if is_at_once else None, settings) as person:
        if is_at_once:
            assert any("defaults" in each.message for each in person.view.status.errors)
            person.press("a", sees=2)
        else:
            assert person.reads("reset to their defaults") and person.reads("settings.toml.bak")
    assert path.with_name("settings.toml.bak").read_text(encoding="utf-8") == text
