"""Paths are identified by name and by content."""

import pytest
from PySide6.QtWidgets import QWidget

from app.ui.start.importing.drop_zone import DropZone
from app.ui.start.importing.given_paths import MAX_AT_ONCE, GivenKind, identify, identify_by_name
from tests.app.ui.start.importing.dropping import drag, leave
from tests.app.ui.steps import shown_in


def kind_of(*paths):
    return identify(paths).kind


def test_lists_folders_spectra_and_sessions(tmp_path, sample_list, one_spectrum):
    session = tmp_path / "night.speco3"
    session.write_bytes(b"")
    assert kind_of(sample_list) is GivenKind.LIST
    assert kind_of(sample_list.parent / "spectra") is GivenKind.LIST
    assert kind_of(one_spectrum) is GivenKind.SPECTRUM and kind_of(session) is GivenKind.SESSION
    several = sample_list.parent / "spectra" / "000" / "coadd-sim-dark-0000012.fits.gz"
    assert kind_of(several) is GivenKind.LIST
    beside = sorted(one_spectrum.parent.glob("spec-*.fits.gz"))[:3]
    assert identify(beside).paths == tuple(beside) and kind_of(*beside) is GivenKind.LIST
    strange = tmp_path / "strange.csv"
    strange.write_text("foo,bar\n1,2\n3,4\n")
    assert kind_of(strange) is GivenKind.LIST


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("paper.pdf", b"%PDF-1.7 ...", "PDF"),
        ("noise.bin", bytes(range(256)) * 8, "format is unknown"),
        ("empty.csv", b"", "empty"),
    ],
)
def test_what_is_of_no_use_says_why(tmp_path, name, content, word):
    path = tmp_path / name
    path.write_bytes(content)
    found = identify([path])
    assert found.kind is GivenKind.UNKNOWN and name in found.reason and word in found.reason


def test_what_is_not_there_not_alone_or_too_much(tmp_path, sample_list):
    found = identify([tmp_path / "gone.csv"])
    assert found.kind is GivenKind.UNKNOWN and "gone.csv does not exist" in found.reason
    assert identify([]).kind is GivenKind.UNKNOWN
    session = tmp_path / "night.speco3"
    session.write_bytes(b"")
    found = identify([session, sample_list])
    assert found.kind is GivenKind.UNKNOWN and "one session" in found.reason
    found = identify_by_name([tmp_path / f"{n}.fits" for n in range(MAX_AT_ONCE + 1)])
    assert found.kind is GivenKind.UNKNOWN and "folder" in found.reason


@pytest.fixture
def target(qtbot, tools):
    target = QWidget()
    target.drops = DropZone(target, tools.current_theme, tools.runner)
    return shown_in(qtbot, target, 600, 400)


def test_dragging_says_what_will_happen(target, tmp_path, sample_list):
    session = tmp_path / "night.speco3"
    session.touch()
    overlay = target.drops.overlay
    assert drag(target, [session]) and overlay.isVisible() and "open the session" in overlay.text
    leave(target)
    assert not overlay.isVisible()
    drag(target, [sample_list.parent])
    assert "spectra in this folder" in overlay.text
    drag(target, [sample_list, sample_list])
    assert "2 files" in overlay.text
    drag(target, ["https://example.org/list.csv"])
    assert "cannot be opened" in overlay.text
    leave(target)
