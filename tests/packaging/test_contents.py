"""What goes into the bundle: all that the program needs, and not what makes it large."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
OPTIONAL = {
    *("torch", "transformers", "accelerate", "peft", "safetensors", "tokenizers"),
    *("specutils", "astropy.nddata", "astropy.table", "psycopg", "ray", "fsspec"),
}
"""The program says itself what it cannot do without them."""


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_nothing_that_the_program_imports_is_left_out(script):
    left_out = set(script("contents").LEFT_OUT) - OPTIONAL
    packages = ("agent", "app", "train/review")
    for path in (path for package in packages for path in (ROOT / package).rglob("*.py")):
        for name in imports(path):
            parts = name.split(".")
            lacking = {".".join(parts[: n + 1]) for n in range(len(parts))} & left_out
            assert not lacking, path


WITHOUT = """
import sys, warnings
warnings.simplefilter("ignore")
left_out = set(sys.argv[1].split(","))
finders = list(sys.meta_path)
class Others:
    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if any(".".join(parts[: n + 1]) in left_out for n in range(len(parts))):
            return None
        found = (each.find_spec(name, path, target) for each in finders)
        return next((spec for spec in found if spec is not None), None)
    def find_distributions(self, *asked):
        knowing = [each for each in finders if hasattr(each, "find_distributions")]
        return [one for each in knowing for one in each.find_distributions(*asked)]
sys.meta_path[:] = [Others()]
"""
MODULES = """
from app.selftest.installation import checks
print("loaded" in next(checks()).run(None))
"""
SAMP = """
from app.services.samp.library import samp_library
library = samp_library()
library.SAMPHubServer(addr="127.0.0.1", web_profile=False)
client = library.SAMPClient(library.SAMPHubProxy(), name="x", addr="127.0.0.1")
print(client.is_registered is False)
"""
PERIOD = """
import numpy as np
from app.services.catalogues.light_curve import LightCurve, best_period
days = np.sort(np.random.default_rng(1).uniform(0.0, 200.0, 300))
mags = 15.0 + 0.3 * np.sin(2.0 * np.pi * days / 3.7)
curve = LightCurve(series="1", band="g", hjd=days, mag=mags, error=np.full(300, 0.01))
print(abs(best_period([curve], shortest_d=1.0) - 3.7) < 0.01)
"""


@pytest.mark.parametrize("code", [SAMP, PERIOD, MODULES], ids=["SAMP", "period", "modules"])
def test_it_works_without_what_is_left_out(script, code):
    left_out = ",".join(script("contents").left_out())
    command = [sys.executable, "-c", WITHOUT + code, left_out]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout == "True\n", run.stderr[-2000:]


def test_torch_and_training_are_left_out(script):
    left_out = script("contents").left_out()
    assert {"torch", "transformers", "datasets", "sklearn", "trl", "tkinter"} <= set(left_out)


def test_one_engine_of_llama_cpp_is_in(script, monkeypatch):
    contents = script("contents")
    monkeypatch.setattr(contents, "find_spec", lambda name: name == "llama_cpp")
    assert contents.engine() == "llama_cpp"
    assert "xllamacpp" in contents.left_out()
    assert "llama_cpp" not in contents.left_out()
    monkeypatch.setattr(contents, "find_spec", lambda name: None)
    assert contents.engine() == "xllamacpp"
    assert "llama_cpp" in contents.left_out()


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        "PySide6/Qt/translations/qtbase_zh_CN.qm",
        "PySide6/plugins/platforms/qwindows.dll",
        "matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf",
        "matplotlib/mpl-data/fonts/ttf/DejaVuSans-Bold.ttf",
        "matplotlib/mpl-data/matplotlibrc",
        "resources/tests.csv",
        "resources/sample/candidates.csv",
        "libfontconfig.so.1",
        "astropy_iers_data/data/Leap_Second.dat",
        "libxcb-cursor.so.0",
        "pyarrow/libarrow.so.2600",
        "pyarrow/libparquet.so.2600",
    ],
)
def test_what_the_window_needs_is_in(script, place):
    assert script("contents").is_wanted(place)


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/plugins/tls/libqopensslbackend.so",
        "PySide6/Qt/translations/qtbase_fr.qm",
        "libgtk-3.so.0",
        "pyarrow/libarrow_flight.so.2600",
        "libarrow_flight.so.2600",
        "pyarrow/tests/data/x.orc",
        "matplotlib/mpl-data/fonts/afm/cmex10.afm",
        "astropy_iers_data/data/eopc04.1962-now",
    ],
)
def test_what_only_makes_it_large_is_not(script, place):
    assert not script("contents").is_wanted(place)


def test_every_resource_goes_in_at_its_place(script):
    contents = script("contents")
    found = {path.relative_to(ROOT).as_posix() for path in contents.resources()}
    assert {"resources/sample/candidates.csv", "resources/icons/spec-o3.svg"} <= found
    assert not [path for path in found if "__pycache__" in path or path.endswith(".pyc")]
    there = {path.as_posix() for path in Path("resources").rglob("*") if path.suffix == ".toml"}
    assert there <= found


def test_the_version_is_written_down_once(script):
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert script("contents").version() == version
    for path in [*ROOT.glob("packaging/**/*.*"), *ROOT.glob("a*/**/*.py")]:
        if path.suffix in (".py", ".spec", ".sh", ".nsi", ".in"):
            assert f'"{version}"' not in path.read_text(encoding="utf-8"), path


def test_what_packs_it_is_pinned():
    pins = (ROOT / "packaging" / "constraints.txt").read_text()
    for name in ("pyinstaller", "pyinstaller-hooks-contrib", "altgraph"):
        assert re.search(rf"^{name}==\d", pins, re.MULTILINE), name


def test_every_package_takes_the_oldest_python_that_the_program_takes():
    """Debian 12 has 3.11.2; a pin that wants a later one leaves it without `make test`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = f"{project['requires-python'].removeprefix('>=')}.0"
    asked = {each.name: each.metadata.get("Requires-Python") for each in distributions()}
    refusing = {n: v for n, v in asked.items() if v and not SpecifierSet(v).contains(oldest)}
    assert refusing == {}


def test_macos_is_told_of_sessions(script):
    told = script("contents").macos_information()
    kind = told["UTExportedTypeDeclarations"][0]
    assert kind["UTTypeTagSpecification"]["public.filename-extension"] == ["speco3"]
    opened = told["CFBundleDocumentTypes"][0]["LSItemContentTypes"]
    assert opened == [kind["UTTypeIdentifier"]]


def test_a_budget_that_is_passed_is_told(script, tmp_path, monkeypatch, capsys):
    bundle = script("bundle")
    monkeypatch.setattr(bundle, "BUDGETS", {"": 0.001, ".deb": 1})
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "large").write_bytes(bytes(2000))
    (folder / "link").symlink_to("large")
    package = tmp_path / "program.deb"
    package.write_bytes(bytes(999_000))
    assert bundle.size_of(folder) == 2000
    assert bundle.check_sizes([folder, package]) == 1
    assert "OVER its budget of 0.001 MB" in capsys.readouterr().out


def test_the_background_of_the_diagram_is_that_of_its_relations(script):
    made = script("hr_background")
    lines, shipped = made.sequences(), made.BACKGROUND.read_text(encoding="utf-8")
    assert shipped == made.background_text(lines)
    assert all(any(each.source in line for line in shipped.splitlines()[:12]) for each in lines)
