"""An engine is added in one place: with its entry in the registry all else works."""

import json

import pytest

from agent.convert.checkpoint import ConversionError
from agent.convert.model import convertible
from agent.engines import kind
from agent.engines.kind import SIZING_OF, EngineKind, FoundModel
from agent.engines.registry import ENGINES, engine_names
from agent.errors import ResourceError
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import make_inspector
from agent.models.card_file import CARD_NAME, read_card, write_card
from agent.models.infer_card import make_card
from agent.models.registry import find_model
from agent.tasks.catalogue import find_task
from app.selftest import installation
from app.ui.judge.agent.model_chooser import model_rows
from tests.agent.scenes import answer, star
from tests.app.cli.commands import invoke
from tests.scripted_engine import ScriptedEngine

pytestmark = pytest.mark.usefixtures("models")


class Abacus(EngineKind):
    name = "abacus"
    program = "an abacus"
    extra = "beads"
    modules = ("abacus_of_wood",)
    packages = modules
    wants_gpu = True
    no_conversion = "made of wood"
    has_self_test = True

    def __init__(self) -> None:
        self.loaded = []

    def card_problem(self, card):
        return None if card.paths("weights") else "an abacus needs beads"

    def missing_files(self, card):
        return [] if "frame.json" in card.paths("other") else ["frame.json"]

    def find(self, path, names):
        if "frame.json" not in names:
            return None
        family, files = "qwen2.5-vl", tuple(names)
        return FoundModel(name=path.name, family=family, sizing=SIZING_OF[family], files=files)

    def load(self, card, folder, options):
        self.loaded.append((card.name, folder, options))
        return ScriptedEngine([answer()])

    def self_test(self, folder):
        return "all beads are there"


@pytest.fixture
def abacus():
    engine = Abacus()
    ENGINES.append(engine)
    yield engine
    ENGINES.remove(engine)


@pytest.fixture
def folder(models, abacus):
    made = models / "counter"
    made.mkdir(parents=True)
    (made / "frame.json").write_text("{}")
    (made / "beads.safetensors").write_bytes(b"1 2 3")
    return made


@pytest.fixture
def has_beads(monkeypatch):
    real = kind.find_spec
    monkeypatch.setattr(kind, "find_spec", lambda name: name.startswith("abacus") or real(name))


def test_its_model_is_found_without_a_card_and_with_one(folder):
    assert find_model("counter").card.engine == "abacus"
    write_card(make_card(folder), folder)
    card = read_card(folder)
    assert (card.engine, card.paths("weights")) == ("abacus", ("beads.safetensors",))
    assert "abacus" in engine_names()
    text = (folder / CARD_NAME).read_text()
    (folder / CARD_NAME).write_text(text.replace('role = "weights"', 'role = "other"'))
    with pytest.raises(ResourceError, match="an abacus needs beads"):
        read_card(folder)


def test_what_its_model_lacks_is_named(folder):
    card = make_card(folder)
    (folder / "frame.json").unlink()
    write_card(card, folder)
    assert find_model("counter").missing == ("frame.json",)


def test_its_model_is_listed_with_what_it_needs(folder, session):
    def row():
        return next(row for row in model_rows("", session)[0] if row.key == "counter")

    assert row().state == "its engine is not installed"
    assert row().need == 'Needs an abacus: pip install "spec-o3-workbench[beads]"'
    assert row().needs == "an abacus, and a GPU with about 1 MB of memory"
    found = invoke("models", "list", "--json")
    rows = {row["name"]: row for row in json.loads(found.stdout)}
    assert rows["counter"]["engine"] == "abacus"


@pytest.mark.usefixtures("has_beads")
def test_its_model_is_ready_loaded_and_inspects(folder, session, abacus):
    assert [row.state for row in model_rows("", session)[0] if row.key == "counter"] == ["ready"]
    inspector = make_inspector("counter", device="cpu", threads=3)
    record = run(inspector.inspect(star(), find_task("CV")))
    assert (record.verdict, record.model.engine) == ("YES", "abacus")
    ((name, place, options),) = abacus.loaded
    assert (name, place, options.device, options.threads) == ("counter", folder, "cpu", 3)


def test_it_says_why_its_model_is_not_converted(folder):
    with pytest.raises(ConversionError, match="counter is made of wood"):
        convertible("counter")


@pytest.mark.usefixtures("has_beads")
def test_the_self_test_tries_it(abacus, tmp_path):
    check = next(each for each in installation.checks() if each.name == "an abacus")
    assert check.run(tmp_path) == "all beads are there"


def test_the_self_test_passes_over_it_where_it_is_not_installed(abacus, tmp_path):
    check = next(each for each in installation.checks() if each.name == "an abacus")
    with pytest.raises(installation.CheckSkipped, match="needed for models of an abacus"):
        check.run(tmp_path)
