"""Paths are identified by name and by content."""

from __future__ import annotations

import pytest

from app.ui.importing.given_paths import MAX_AT_ONCE, GivenKind, identify, identify_by_name


def kind_of(*paths):
    return identify(paths).kind


def test_a_list_a_folder_a_spectrum_and_a_session(tmp_path, sample_list, one_spectrum):
    session = tmp_path / "night.speco3"
    session.write_bytes(b"")
    assert kind_of(sample_list) is GivenKind.LIST
    assert kind_of(sample_list.parent / "spectra") is GivenKind.LIST
    assert kind_of(one_spectrum) is GivenKind.SPECTRUM
    assert kind_of(session) is GivenKind.SESSION


def test_a_file_of_several_spectra_is_a_list(sample_list):
    several = sample_list.parent / "spectra" / "000" / "coadd-sim-dark-0000012.fits.gz"
    assert kind_of(several) is GivenKind.LIST


def test_several_spectra_together_are_a_list(one_spectrum):
    beside = sorted(one_spectrum.parent.glob("spec-*.fits.gz"))[:3]
    assert identify(beside).paths == tuple(beside)
    assert kind_of(*beside) is GivenKind.LIST


def test_a_list_whose_columns_nobody_knows_is_for_the_user_to_explain(tmp_path):
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
    assert found.kind is GivenKind.UNKNOWN
    assert name in found.reason
    assert word in found.reason


def test_what_is_not_there(tmp_path):
    found = identify([tmp_path / "gone.csv"])
    assert found.kind is GivenKind.UNKNOWN
    assert "gone.csv does not exist" in found.reason


def test_nothing_of_this_computer():
    assert identify([]).kind is GivenKind.UNKNOWN


def test_sessions_come_alone(tmp_path, sample_list):
    session = tmp_path / "night.speco3"
    session.write_bytes(b"")
    found = identify([session, sample_list])
    assert found.kind is GivenKind.UNKNOWN
    assert "one session" in found.reason


def test_too_many_are_better_given_as_a_folder(tmp_path):
    found = identify_by_name([tmp_path / f"{n}.fits" for n in range(MAX_AT_ONCE + 1)])
    assert found.kind is GivenKind.UNKNOWN
    assert "folder" in found.reason
