"""Plug-ins: those that work are there; what is wrong with one is told and stops nothing."""

import sys

import pytest

from agent import plugins
from agent.engines.registry import ENGINES, engine_names
from agent.errors import ReadError
from agent.spectra.readers.registry import READERS, all_readers, read
from agent.tasks.catalogue import BUNDLED, load_tasks
from app.core.exporting.export import FORMATS, all_formats
from app.services.catalogues.service import all_services
from tests.app.example_plugin import PluginSite, write_package

GOOD = """
from agent.spectra.readers import NotMine

def read(file, request):
    raise NotMine("not of this survey")
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    found = PluginSite(tmp_path / "site", monkeypatch)
    yield found
    all_services.cache_clear()


def names(kind="readers"):
    return [each.name for each in plugins.plugins(kind)]


def problems():
    return [str(fault) for fault in plugins.faults()]


def table(tmp_path):
    path = tmp_path / "star.csv"
    rows = "".join(f"{4000 + n},{1 + n % 7}\n" for n in range(200))
    path.write_text("wavelength,flux\n" + rows)
    return path


def test_without_packages_there_are_none(site):
    assert [names(kind) for kind in plugins.KINDS] == [[], [], [], [], []]
    assert all_readers() == tuple(READERS)
    assert problems() == []


BROKEN = {
    "raises": ("raise OSError('no licence server')", "read", "failed with OSError: no licence"),
    "exits": ("import sys; sys.exit(3)", "read", "failed with SystemExit: 3"),
    "needs": ("import not_there_at_all", "read", "No module named 'not_there_at_all'"),
    "lacks": ("def other(): pass", "read", "has no attribute 'read'"),
    "number": ("read = 7", "read", "is a int, not a function"),
    "syntax": ("def read(:", "read", "failed with SyntaxError"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_named_and_the_good_one_works(site, tmp_path, name):
    code, value, problem = BROKEN[name]
    told = []
    plugins.listeners.append(told.append)
    write_package(site.folder, f"a_{name}", code, {"readers/Broken": f"a_{name}:{value}"})
    write_package(site.folder, f"z_good_{name}", GOOD, {"readers/Good": f"z_good_{name}:read"})
    assert len(read(table(tmp_path))) == 200
    assert names() == ["Good"]
    (fault,) = plugins.faults()
    assert told == [fault]
    assert f"plug-in Broken of a_{name} 1.0 (readers): " in str(fault)
    assert problem in str(fault)


def test_one_that_hangs_is_given_up(site, monkeypatch):
    monkeypatch.setattr(plugins, "LONGEST_S", 0.05)
    code = "import builtins\nbuiltins.plugin_may_end.wait()\ndef read(f, r): pass"
    import builtins
    import threading

    may_end = threading.Event()
    monkeypatch.setattr(builtins, "plugin_may_end", may_end, raising=False)
    write_package(site.folder, "hanging", code, {"readers/Hangs": "hanging:read"})
    assert names() == []
    assert "is not loaded after 0.05 s: left out" in problems()[0]
    may_end.set()
    for thread in threading.enumerate():
        if thread.name == "plug-in Hangs":
            thread.join()


def test_a_slow_one_works_and_is_told(site, monkeypatch):
    monkeypatch.setattr(plugins, "SLOW_S", 0.0)
    write_package(site.folder, "slow_one", GOOD, {"readers/Slow": "slow_one:read"})
    assert names() == ["Slow"]
    assert " s to load" in problems()[0]


def test_a_damaged_list_of_entry_points_is_named(site):
    write_package(site.folder, "well_made", GOOD, {"readers/Good": "well_made:read"})
    write_package(site.folder, "ill_made", GOOD, {})
    (site.folder / "ill_made-1.0.dist-info" / "entry_points.txt").write_text("[x]\nnonsense\n")
    assert names() == ["Good"]
    assert "entry_points.txt of ill_made 1.0" in problems()[0]


def test_two_of_one_name(site):
    for name in ("first_of_two", "second_of_two"):
        write_package(site.folder, name, GOOD, {"readers/Same": f"{name}:read"})
    assert [each.package for each in plugins.plugins("readers")] == ["first_of_two 1.0"]
    assert "first_of_two 1.0 has one of this name" in problems()[0]


SHADOWS = {
    "exporters/csv": "the suffix .csv is one of the program's own: left out",
    "exporters/TeX": "a suffix is 1 to 12 of a-z and 0-9, not .TeX: left out",
    "engines/gguf": "an engine of the program has this name: left out",
}


@pytest.mark.parametrize("key", SHADOWS)
def test_one_with_the_name_of_ours_is_named_and_left_out(site, key):
    kind, _, name = key.partition("/")
    write_package(site.folder, "shadow", "def work(*given, **named): pass\n", {key: "shadow:work"})
    assert all_formats() == FORMATS and engine_names() == tuple(each.name for each in ENGINES)
    assert problems() == [f"plug-in {name} of shadow 1.0 ({kind}): {SHADOWS[key]}"]


def test_a_class_of_ours_cannot_be_replaced(site):
    source = (BUNDLED / "cv.toml").read_text(encoding="utf-8")
    folder = site.folder / "shadow_tasks"
    folder.mkdir()
    (folder / "cv.toml").write_text(f'replaces = "CV"\n{source}', encoding="utf-8")
    write_package(site.folder, "shadow", "", {"tasks/mine": "shadow_tasks"})
    assert all(task.path is None or BUNDLED in task.path.parents for task in load_tasks())
    (problem,) = problems()
    assert "replaces: a plug-in cannot replace a class" in problem


def test_what_one_prints_while_it_is_loaded_or_works_is_not_among_the_results(
    site, tmp_path, capsys
):
    loud = f"print('hello')\n{GOOD}".replace("raise", "print('I try'); raise")
    write_package(site.folder, "loud", loud, {"readers/one": "loud:read"})
    assert names() == ["one"]
    assert capsys.readouterr() == ("", "hello\n")
    read(table(tmp_path))
    sys.stdout.write("ours\n")
    assert capsys.readouterr() == ("ours\n", "I try\n")


def test_all_can_be_turned_off(site, monkeypatch):
    write_package(site.folder, "turned_off", GOOD, {"readers/Good": "turned_off:read"})
    monkeypatch.setenv(plugins.OFF, "1")
    assert names() == []
    assert plugins.packages_of("readers") == ()


FAILING = """
def read(file, request):
    return {mode}
"""


@pytest.mark.parametrize(("mode", "problem"), [
    ("1 / 0", "failed with ZeroDivisionError"), ("{}", "returned a dict, not a Spectrum"),
])  # fmt: skip
def test_a_reader_that_fails_is_told_once_and_others_read_the_file(site, tmp_path, mode, problem):
    name = "dividing" if "/" in mode else "returning"
    code = FAILING.replace("{mode}", mode)
    write_package(site.folder, name, code, {"readers/Fails": f"{name}:read"})
    for _ in range(3):
        assert len(read(table(tmp_path))) == 200
    assert len(problems()) == 1
    assert problem in problems()[0]


def test_readers_of_surveys_come_first_and_generic_ones_last(site, tmp_path):
    write_package(site.folder, "between", GOOD, {"readers/Between": "between:read"})
    order = [reader.name for reader in all_readers()]
    assert order.index("redrock") < order.index("Between (between 1.0)") < order.index("FITS image")
    damaged = tmp_path / "no.spectrum"
    damaged.write_bytes(b"\x00\x01nothing")
    with pytest.raises(ReadError) as refusal:
        read(damaged)
    assert refusal.value.reasons["Between (between 1.0)"] == "not of this survey"


def test_faulty_files_of_tasks_and_services_are_told_and_left_out(site):
    for kind in ("tasks", "evidence"):
        package = site.folder / f"{kind}_package"
        package.mkdir()
        (package / "__init__.py").write_text("raise SystemExit('this is never run')")
        (package / "bad.toml").write_text("id = 7")
        write_package(site.folder, f"{kind}_about", "", {f"{kind}/Files": f"{kind}_package"})
    tasks, services = load_tasks(), all_services()
    assert len(tasks) >= 8
    assert "gaia" in services
    assert len(problems()) == 2
    assert all("bad.toml" in each and "id" in each for each in problems())


def test_a_folder_that_is_not_there(site):
    write_package(site.folder, "no_folder", "", {"tasks/Files": "nowhere_at_all"})
    assert len(load_tasks()) >= 8
    assert "there is no package nowhere_at_all" in problems()[0]


def test_faults_are_bounded_and_printable(site):
    for number in range(2 * plugins.MAX_FAULTS):
        plugins.report("readers", "x", "y", f"{number}\n\x1b[31m" + "z" * 1000)
    assert len(problems()) == plugins.MAX_FAULTS
    assert all(each.isprintable() and len(each) < 400 for each in problems())
