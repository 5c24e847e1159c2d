"""Which spectra a client may name."""

import os

import pytest
from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.inspections.shown_opinion import show_model
from app.core.inspections.store import add_inspection, inspections_of
from app.core.session.session import open_session
from app.mcp.proposals import Proposals, ProposedWindow, assistant
from app.mcp.sources import NO_FILE, NO_FOLDER, SourceError, Sources
from tests.app.cli.commands import SAMPLE
from tests.app.core.inspected import NANO, agent_of, said


@pytest.fixture
def place(tmp_path, night):
    """A folder with a spectrum and links, and a secret beside it."""
    source = next(night.parent.glob("*.gz"))
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "deep" / "one.fits.gz").write_bytes(source.read_bytes())
    (tmp_path / "secret.fits.gz").write_bytes(source.read_bytes())
    (tmp_path / "inside too").mkdir()
    (inside / "link.fits.gz").symlink_to(tmp_path / "secret.fits.gz")
    (inside / "out").symlink_to(tmp_path)
    (inside / "loop").symlink_to(inside / "loop")
    (inside / "near.fits.gz").symlink_to(inside / "deep" / "one.fits.gz")
    os.mkfifo(inside / "pipe.fits")
    return inside


def test_files_below_the_folder_are_read(place):
    sources = Sources([place])
    for name in ("deep/one.fits.gz", "near.fits.gz", str(place / "deep" / "one.fits.gz")):
        assert len(sources.read(name, None, 0)) > 100


def test_nothing_else_is_and_all_refusals_are_the_same(place):
    for name in [
        "../secret.fits.gz", "deep/../../secret.fits.gz", "link.fits.gz", "out/secret.fits.gz",
        "loop", "pipe.fits", "deep", "none.fits", "/etc/passwd", "//host/share/a.fits",
        "\\\\host\\share\\a.fits", "https://example.org/a.fits", "file:///etc/passwd", "~/a.fits",
        "a\0b", "\ud800", "x/" * 400, "n" * 300, "n" * 100_000,
    ]:  # fmt: skip
        with pytest.raises(SourceError) as refusal:
            Sources([place]).read(name, None, 0)
        assert str(refusal.value) == NO_FILE


def test_a_folder_is_listed_without_links_that_lead_out(place):
    sources = Sources([place])
    assert sources.entries("", 0, 10) == ([str(place)], [], False)
    assert sources.entries(".", 0, 10) == (["./deep"], ["./near.fits.gz"], False)
    assert sources.entries(str(place), 0, 1) == ([f"{place}/deep"], [], True)
    for name in ("..", "out", "loop", "none", "../inside too", "/", "n" * 300):
        with pytest.raises(SourceError, match=NO_FOLDER):
            sources.entries(name, 0, 10)


def test_a_candidate_is_read_from_the_sessions_own_folder_only(own_night, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    source = next(own_night.parent.glob("*.gz"))
    secret = other / "secret.fits.gz"
    secret.write_bytes(source.read_bytes())
    (own_night.parent / "link.fits.gz").symlink_to(secret)
    with open_session(own_night, "Ada") as session:
        with session.database.writing() as connection:
            for number, path in ((2, secret), (3, own_night.parent / "link.fits.gz")):
                here = candidates.c.id == number
                connection.execute(update(candidates).where(here).values(path=str(path)))
        sources = Sources([], session)
        assert len(sources.read("", 1, 0)) > 100
        for number in (2, 3):
            with pytest.raises(SourceError, match="outside the session's own folder"):
                sources.read("", number, 0)
        allowed = Sources([other], session)
        assert len(allowed.read("", 2, 0)) == len(allowed.read("", 3, 0)) > 100


def test_a_folder_and_one_of_file_and_candidate_are_named(tmp_path):
    sources = Sources([SAMPLE])
    for file, candidate in (("", None), ("a", 1)):
        with pytest.raises(SourceError, match="either a file or a candidate"):
            sources.read(file, candidate, 0)
    with pytest.raises(SourceError, match="without a session"):
        sources.read("", 1, 0)
    with pytest.raises(SourceError, match="is not a folder"):
        Sources([tmp_path / "none"])


# Proposals of an assistant.
@pytest.fixture
def opened(own_night):
    with open_session(own_night, "Ada", read_only=True) as session:
        yield session


@pytest.fixture
def proposals(own_night, opened):
    return Proposals(own_night, "Ada", Sources([], opened), assistant("planner"))


def test_windows_are_kept_with_what_we_measure_there_and_an_unsure_one_says_so(opened, proposals):
    windows = [
        ProposedWindow(low=6400, high=6700, label="Hα\n"),
        ProposedWindow(low=4800, high=4900),
    ]
    proposals.add(1, "REJECT", " narrow\nlines ", windows)
    (stored,) = inspections_of(opened, 1)
    record = stored.trajectory
    assert (record.verdict, record.p_yes, record.reasons) == ("NO", None, "narrow\nlines")
    assert [step.label for step in record.looks] == ["Hα", ""]
    assert all(step.measured["n_pixels"] > 10 for step in record.looks)
    assert record.model.name == "mcp: planner" and record.task == "CV"
    proposals.add(1, "UNSURE", "too noisy", [])
    (stored,) = inspections_of(opened, 1)
    assert stored.trajectory.verdict is None and stored.trajectory.reasons == "UNSURE: too noisy"


def test_a_model_that_a_person_chose_stays_the_one_shown(own_night, opened, proposals):
    with open_session(own_night, "Ada") as session:
        add_inspection(session, 1, said("NO", 0.1))
        show_model(session, NANO)
    proposals.add(1, "ACCEPT", "broad lines", [])
    assert agent_of(opened)[:3] == ("NO", 0.1, "nano")
    assert len(inspections_of(opened, 1)) == 2


def test_faulty_proposals_leave_nothing_and_a_name_is_one_line(opened, proposals):
    with pytest.raises(SourceError, match="starts below its end"):
        proposals.add(1, "ACCEPT", "x", [ProposedWindow(low=6700, high=6400)])
    with pytest.raises(SessionError, match="no candidate 99"):
        proposals.add(99, "ACCEPT", "x", [])
    assert inspections_of(opened, 1) == []
    assert assistant(" a\nb\x1b ").name == "mcp: a b"
    assert len(assistant("x" * 500).name) < 80
    with pytest.raises(SourceError, match="--name"):
        assistant("\n ")
