"""The worked example of a plug-in, installed with pip, and each of its parts used."""

import csv

import pytest

from agent import inspect, plugins, read_spectrum
from agent.errors import ReadError
from agent.tasks.catalogue import find_task
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.plugin_formats import plugin_titles
from app.core.session.records import Opinion, Verdict
from app.selftest import plugins as plugin_checks
from app.services.catalogues.service import all_services
from tests.app.cli.commands import invoke
from tests.app.core.exporting.catalogues import listed
from tests.app.example_plugin import EXAMPLE, PluginSite, groups_of_example, install, write_package

FIRST = "resources/sample/spectra/000/spec-59128-SIM0000_sp01-002.fits.gz"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("example") / "site"
    install(folder)
    return folder


@pytest.fixture
def site(installed, monkeypatch):
    found = PluginSite(installed, monkeypatch)
    yield found
    assert plugins.faults() == ()
    all_services.cache_clear()


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Packages of each test."""
    found = PluginSite(tmp_path / "broken", monkeypatch)
    yield found
    all_services.cache_clear()


@pytest.fixture
def spectrum_file(tmp_path):
    path = tmp_path / "star.dat"
    rows = [f"{400 + n / 4} {1.0 + 5.0 * (n == 1026)}" for n in range(1600)]
    path.write_text("\n".join(["EXAMPLE SURVEY 1 star 42", *rows]))
    return path


def test_it_names_one_of_each_kind():
    assert set(groups_of_example()) == {f"spec_o3.{kind}" for kind in plugins.KINDS}


def test_the_reader_reads_its_survey(site, spectrum_file):
    found = read_spectrum(spectrum_file)
    assert (found.survey, found.object_id, len(found)) == ("Example survey", "star 42", 1600)
    assert found.range[0] == pytest.approx(4001.13, abs=0.01)  # air to vacuum
    spectrum_file.write_text("EXAMPLE SURVEY 1 star 43\n1 2 3\n4 five\n")
    with pytest.raises(ReadError, match="not pairs of numbers"):
        read_spectrum(spectrum_file)


def test_the_engine_answers(site, spectrum_file):
    record = inspect(read_spectrum(spectrum_file), "CV", str(EXAMPLE / "always-no"))
    assert (record.verdict, record.model.engine) == ("NO", "always_no")
    assert record.p_yes == pytest.approx(0.01)


def test_its_class_is_inspected_by_measurements(site, spectrum_file):
    assert find_task("HA").name == "Hα emission star"
    done = invoke("inspect", spectrum_file, "--task", "HA", "--json")
    assert done.exit_code == 0, done.output


def test_its_catalogue_is_offered_last(site):
    assert list(all_services())[-1] == "gaia_quality"
    done = invoke("services", "list")
    assert "Gaia EDR3 at VizieR" in done.output


def test_its_format_is_written(site, tmp_path):
    assert plugin_titles() == [("tex", ".tex (spec-o3-example 0.1)")]
    with listed(tmp_path / "night.speco3", [{"object_id": "a"}, {"object_id": "b"}]) as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
        report = export(session, tmp_path / "night.tex", which="all")
    assert (report.format, report.rows) == ("tex", 2)
    text = (tmp_path / "night.tex").read_text()
    assert text.startswith(r"\begin{deluxetable}") and "ACCEPT" in text


def test_the_self_test_names_each(site, tmp_path):
    found = {check.name: check.run(tmp_path) for check in plugin_checks.checks()}
    assert len(found) == 5 and found["always_no"] == "engines, spec-o3-example 0.1"


@pytest.mark.parametrize(("key", "content", "words"), [
    ("engines/quick", "1 / 0", r"plug-in quick of thief 1\.0 \(engines\): failed with"),
    ("exporters/csv", "def work(*given): pass", r"of thief 1\.0 .*: left out"),
    ("engines/gguf", "def work(*given): pass", r"of thief 1\.0 .*: left out"),
])  # fmt: skip
def test_the_self_test_names_what_is_broken_or_has_our_name(broken, tmp_path, key, content, words):
    write_package(broken.folder, "thief", content, {key: "thief:work"})
    (check,) = plugin_checks.checks()
    with pytest.raises(Exception, match=words):
        check.run(tmp_path)


WRITERS = """
def write(file, table):
    file.write(b"half of it")
    raise KeyError("no such column")
"""


def test_a_format_that_fails_leaves_the_file_as_it_was(broken, tmp_path):
    write_package(broken.folder, "bad_writer", WRITERS, {"exporters/odd": "bad_writer:write"})
    write_package(broken.folder, "csv_thief", WRITERS, {"exporters/csv": "csv_thief:write"})
    out = tmp_path / "night.odd"
    out.write_text("as it was")
    with listed(tmp_path / "night.speco3", [{"object_id": "a"}]) as session:
        with pytest.raises(SessionError, match=r"plug-in odd of bad_writer 1\.0 .*KeyError"):
            export(session, out, which="all")
        assert out.read_text() == "as it was"
        assert export(session, tmp_path / "night.csv", which="all").format == "csv"
        with (tmp_path / "night.csv").open() as file:
            assert [row["object_id"] for row in csv.DictReader(file)] == ["a"]
    assert "csv" not in [name for name, _ in plugin_titles()]
    assert [fault.name for fault in plugins.faults()] == ["csv", "odd"]


def test_a_format_that_writes_nothing_is_not_reported_as_written(broken, tmp_path):
    for name, code in (("mute", "pass"), ("shut", "file.close()")):
        key, code = f"exporters/{name}", f"def write(file, table):\n    {code}"
        write_package(broken.folder, f"writer_{name}", code, {key: f"writer_{name}:write"})
    with listed(tmp_path / "night.speco3", [{"object_id": "a"}]) as session:
        for name in ("mute", "shut"):
            with pytest.raises(SessionError, match="it wrote nothing, or closed the file"):
                export(session, tmp_path / f"night.{name}", which="all")
            assert not (tmp_path / f"night.{name}").exists()


@pytest.mark.parametrize(("kind", "words"), [
    ("evidence", ["services", "list"]), ("tasks", ["inspect", FIRST, "--task", "none"]),
])  # fmt: skip
def test_commands_name_those_that_are_broken(broken, kind, words):
    write_package(broken.folder, "a_lost_one", "", {f"{kind}/lost": "not_there_at_all"})
    done = invoke(*words)
    assert f"plug-in lost of a_lost_one 1.0 ({kind}): failed with ModuleNotFound" in done.stderr


def test_an_engine_that_is_none_is_told(broken, spectrum_file, tmp_path):
    code = "def load(folder, card, *, device, threads):\n    return 7"
    write_package(broken.folder, "bad_engine", code, {"engines/seven": "bad_engine:load"})
    card = 'name = "seven"\nfamily = "other"\nengine = "seven"\n'
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.toml").write_text(card)
    with pytest.raises(Exception, match="it returned a int, not an engine"):
        inspect(read_spectrum(FIRST), "CV", str(tmp_path / "model"))
    broken.use()
    (tmp_path / "model" / "model.toml").write_text(card.replace("seven", "eight"))
    write_package(broken.folder, "no_engine", "1 / 0", {"engines/eight": "no_engine:load"})
    with pytest.raises(Exception, match=r"plug-in eight of no_engine .*: failed with ZeroDivision"):
        inspect(read_spectrum(FIRST), "CV", str(tmp_path / "model"))
