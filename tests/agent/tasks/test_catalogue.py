"""The bundled tasks are complete and consistent; a user's task is one like the others."""

import math
import re
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.spectra.air import air_to_vacuum
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.index_definitions import builtin_indices
from agent.tasks.catalogue import BUNDLED, bundled_task, find_task, load_tasks, user_task_folder
from agent.tasks.catalogue_evidence import (
    HEAVIEST,
    VALUE_NAME,
    CatalogueEvidence,
    heaviest_of_groups,
)
from agent.tasks.task import Task, guideline_sections, guideline_text
from agent.tasks.task_file import WINDOW_KEYS, parse_task

COVERAGE = {"LAMOST": (3700.0, 9100.0), "SDSS": (3800.0, 9200.0)}
IDS = ("CV", "CS", "SS", "MG", "WD", "O", "B", "A")
README_EXAMPLE = re.compile(r"```toml\n(.*?)```", re.DOTALL)


@pytest.fixture(params=IDS)
def bundled(request: pytest.FixtureRequest) -> Task:
    return find_task(request.param)


def example() -> str:
    found = README_EXAMPLE.search((BUNDLED / "README.md").read_text(encoding="utf-8"))
    return found.group(1)


def put(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def prose(each: Task) -> list[str]:
    texts = [each.question, each.title, each.name, guideline_text(each)]
    for window in each.windows:
        texts += [window.label, window.look, window.mimics]
    for entry in each.evidence:
        texts += [entry.label, entry.text_found, entry.text_absent]
    return texts


def test_bundled_tasks_come_in_their_order_and_are_found_by_id_and_by_name() -> None:
    assert tuple(each.id for each in load_tasks()) == IDS
    assert find_task("cv") is find_task("Cataclysmic Variable") is find_task("CV")
    assert find_task("white dwarfs").id == "WD"
    known = r'no task "carbn star"; known tasks: CV.*"carbon star".*your own are read from .*tasks'
    with pytest.raises(ResourceError, match=known):
        find_task("carbn star")


def test_every_guideline_is_readable_in_plain_sentences(bundled: Task) -> None:
    assert 250 <= len(guideline_text(bundled).split()) <= 450
    for section in guideline_sections(bundled):
        for line in section.lines:
            assert line.endswith("."), line
    for window in bundled.windows:
        assert window.look.endswith(".") and window.mimics.endswith(".")
    allowed = re.compile(r"[ -~\nÅαβγδε°]*")
    for text in prose(bundled):
        assert allowed.fullmatch(text), text
        assert not re.search(r"<[|/A-Za-z]|\\|`", text), text
    known = [line.wavelength for line in builtin_lines().sorted_lines]
    known += [float(air_to_vacuum(wavelength)) for wavelength in BLENDED_AIR]
    for text in prose(bundled):
        for number in map(float, WAVELENGTH.findall(text)):
            nearest = min(known, key=lambda value: abs(value - number))
            assert abs(nearest - number) < 0.11, (bundled.id, number, nearest)


def test_every_guideline_has_all_ranks_and_says_what_not_to_accept(bundled: Task) -> None:
    found = {section.id for section in guideline_sections(bundled)}
    assert found == {
        "summary", "primary", "secondary", "confirming", "states", "contaminants", "answer_no",
        "not_testable", "pitfalls",
    }  # fmt: skip
    assert "vacuum" in guideline_text(bundled)


def test_windows_and_evidence_of_every_task_are_legal(bundled: Task) -> None:
    for window in bundled.windows:
        low, high = window.range
        assert any(first <= low and high <= last for first, last in COVERAGE.values()), window
        assert 30 <= high - low <= 2000
        assert len(window.label) <= 40
    keys = [window.key for window in bundled.windows]
    assert len(set(keys)) == len(keys) and set(keys) <= set(WINDOW_KEYS)
    names = {group.name for group in builtin_lines().sets}
    assert set(bundled.lines) <= names
    for entry in bundled.evidence:
        low, high = bundled.window(entry.window).range
        if entry.kind in ("line", "width", "ratio"):
            assert low <= builtin_lines()[entry.target[0]].wavelength <= high, entry.id
        elif entry.kind == "edge":
            head = entry.target[0].removesuffix("_edge")
            assert low <= builtin_lines()[head].wavelength <= high, entry.id
    ranks = {entry.rank for entry in bundled.evidence}
    assert ranks == {"primary", "secondary", "confirming", "contaminant"}
    texts = [entry.text_found for entry in bundled.evidence]
    assert all("{label}" in text or "late" in text for text in texts)
    assert all("{value" in entry.text_found for entry in bundled.evidence if entry.kind != "line")

    def heaviest(rank: str) -> float:
        return max(entry.weight_for for entry in bundled.evidence if entry.rank == rank)

    assert heaviest("primary") > heaviest("confirming")


def test_window_keys_do_not_collide_with_verbs_and_confidence() -> None:
    reserved = set("ABCDEFGHLMNRSTUVWXYZ01234.,+-[]*/?") | {"F1", "F10", "F11", "Esc", "Space"}
    assert not reserved & set(WINDOW_KEYS)


def test_every_target_exists(bundled: Task) -> None:
    lines, indices = builtin_lines(), builtin_indices()
    for entry in bundled.evidence:
        for target in entry.target:
            if entry.kind in ("line", "width", "ratio"):
                assert target in lines, (entry.id, target)
            elif entry.kind == "edge":
                assert indices[target].kind == "edge", (entry.id, target)
            elif entry.kind in ("index", "colour"):
                assert target in indices, (entry.id, target)


WAVELENGTH = re.compile(r"(?<![\d.])(\d{4}\.\d)(?![\d])")
BLENDED_AIR = (6462.57, 6471.66, 6493.78, 6499.65, 6494.98, 4143.42, 3819.61)
"""Ca I, Fe I and He I lines named as blends, which no line list draws; air, from NIST."""


def test_the_users_folder_is_named_after_the_program() -> None:
    assert user_task_folder().parts[-2:] == ("spec-o3-workbench", "tasks")


def test_the_example_of_the_readme_is_a_task_like_any_other(own_folder: Path) -> None:
    path = put(own_folder, "be.toml", example())
    loaded = load_tasks()
    assert tuple(each.id for each in loaded) == (*IDS, "BE")
    be = find_task("classical be star")
    assert be.path == path and be.windows[1].mimics == ""
    assert be.guideline.states[0].name == "Shell star"
    assert be.evidence[1].needs == ("halpha_emission",)
    assert "Hα 6564.6 is in emission" in guideline_text(be)


def test_a_file_is_taken_from_anywhere(tmp_path: Path) -> None:
    path = put(tmp_path, "somewhere.toml", example())
    assert find_task(str(path)).id == "BE"
    assert load_tasks([path])[-1].id == load_tasks([tmp_path])[-1].id == "BE"


def test_a_bundled_task_is_replaced_only_by_a_file_that_says_so(own_folder: Path) -> None:
    silent = example().replace('id = "BE"', 'id = "cv"', 1)
    put(own_folder, "mine.toml", silent)
    with pytest.raises(ResourceError, match=r'mine.toml: id: "cv" belongs to .*replaces = "cv"'):
        load_tasks()
    put(own_folder, "mine.toml", silent.replace("name =", 'replaces = "CV"\nname =', 1))
    tasks = load_tasks()
    assert len(tasks) == len(IDS) and find_task("CV").name == "classical Be star"


@pytest.mark.parametrize(("replaced", "words"), [("QQ", "there is no"), ("CV", "own id")])
def test_replacing_the_wrong_task_is_refused(own_folder: Path, replaced: str, words: str) -> None:
    put(own_folder, "be.toml", f'replaces = "{replaced}"\n' + example())
    with pytest.raises(ResourceError, match=words):
        load_tasks()


def test_a_name_already_in_use_is_refused(own_folder: Path) -> None:
    put(own_folder, "be.toml", example().replace("classical Be star", "Carbon star", 1))
    with pytest.raises(ResourceError, match="already the name of CS"):
        load_tasks()


def test_one_faulty_file_leaves_the_others(own_folder: Path) -> None:
    put(own_folder, "a-broken.toml", "id = ")
    put(own_folder, "be.toml", example())
    with pytest.raises(ResourceError, match=r"a-broken\.toml"):
        load_tasks()
    faults: list[ResourceError] = []
    assert load_tasks(on_fault=faults.append)[-1].id == "BE"
    assert len(faults) == 1 and "a-broken.toml" in str(faults[0])
    assert find_task("CV").id == "CV"
    with pytest.raises(ResourceError, match=r"ignored: .*a-broken\.toml"):
        find_task("nothing of the sort")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="not a file"):
        load_tasks([tmp_path / "absent.toml"])
    with pytest.raises(ResourceError, match="not a file"):
        find_task(str(tmp_path / "absent.toml"))


# Claims about catalogues: limits, words, weights, and the heaviest of a group.
ABOUT = {"source": "somewhere", "text_found": "{label} {value:.1f} beyond {limit:.1f}",
         "text_absent": "{label} {value:.1f}"}  # fmt: skip
FAINT = CatalogueEvidence(
    id="faint", label="M", value=("gaia.m_g",), expect="above", against="gaia.bp_rp",
    limits=((0.0, 5.0), (1.0, 10.0), (2.0, 12.0)), scale=0.5, weight_for=2.0, weight_against=-1.0,
    **ABOUT,
)  # fmt: skip
NAMED = CatalogueEvidence(
    id="named", label="VSX", value=("vsx.type",), expect="one_of", words=("UG", "NL"),
    other_words=("RR",), weight_for=1.5, weight_against=-1.0, **ABOUT,
)  # fmt: skip


def test_a_limit_is_a_broken_line_and_nothing_outside_its_points():
    assert [FAINT.limit(x) for x in (0.0, 0.5, 1.5, 2.0)] == [5.0, 7.5, 11.0, 12.0]
    assert FAINT.limit(-0.1) is None and FAINT.limit(2.1) is None
    assert FAINT.limit(None) is None and FAINT.limit(math.nan) is None
    assert FAINT.names == ("gaia.m_g", "gaia.bp_rp") and FAINT.services == ("gaia",)


def test_weights_go_from_one_to_the_other_and_errors_soften_them():
    assert FAINT.log_odds(13.0, 10.0) == pytest.approx(2.0, abs=1e-3)
    assert FAINT.log_odds(7.0, 10.0) == pytest.approx(-1.0, abs=1e-3)
    assert FAINT.log_odds(10.0, 10.0) == 0.0
    assert FAINT.log_odds(10.5, 10.0) == pytest.approx(2.0 * 0.7616, abs=1e-3)
    assert FAINT.log_odds(9.5, 10.0) == pytest.approx(-1.0 * 0.7616, abs=1e-3)
    assert FAINT.log_odds(10.5, 10.0, error=2.0) < FAINT.log_odds(10.5, 10.0)


@pytest.mark.parametrize(
    ("said", "weight"),
    [("UG", 1.5), ("ug:", 1.5), ("NL/VY", 1.5), ("E+NL", 1.5), ("RR", -1.0), ("RRAB", None),
     ("UGX", None), ("", None), ("*", None)],
)  # fmt: skip
def test_a_text_counts_by_its_words_only(said, weight):
    assert NAMED.log_odds_of(said) == weight


def test_a_type_of_simbad_is_a_word_with_its_asterisk():
    (simbad,) = (each for each in bundled_task("CV").catalogue if each.id == "simbad_type")
    assert simbad.log_odds_of("CV*") > 0 > simbad.log_odds_of("QSO")
    assert simbad.log_odds_of("*") is None and simbad.log_odds_of("CV") is None


def test_sentences_hold_the_numbers_and_of_a_group_the_heaviest_counts():
    assert FAINT.sentence(FAINT.text_found, "M", 11.26, 7.5) == "M 11.3 beyond 7.5"
    assert FAINT.sentence("{value:.1f} {limit}", "M", -0.01) == "0.0 ?"
    assert NAMED.sentence("{label}: {value:.1f}", "VSX", "UG {limit}") == "VSX: UG {limit}"
    claims = [("a", 0.5), ("", 0.1), ("a", -1.5), ("b", 0.2), ("a", 1.0)]
    assert heaviest_of_groups(claims) == [False, True, True, True, False]


# Claims about catalogues in task files: what is read, and what is refused in words that help.
TEXT = (BUNDLED / "cv.toml").read_text(encoding="utf-8")
NUMBER = """
[[evidence]]
id = "place"
kind = "catalogue"
label = "absolute G"
value = "gaia.m_g"
expect = "above"
against = "gaia.bp_rp"
limit_at = [0.0, 1.0]
limits = [5.0, 10.0]
scale = 0.5
weight_for = 2.0
weight_against = -1.0
source = "Somebody 2019"
text_found = "{label} {value:.1f}"
text_absent = "{label} {value:.1f}, not beyond {limit:.1f}"
"""
WORDS = """
[[evidence]]
id = "named"
kind = "catalogue"
label = "VSX"
value = "vsx.type"
expect = "one_of"
words = ["UG"]
other_words = ["RR"]
weight_for = 1.0
weight_against = -1.0
group = "names"
source = "Somebody 2019"
text_found = "{label} says {value}"
text_absent = "{label} says {value}"
"""


def parsed(entry: str):
    head = TEXT[: TEXT.index('kind = "catalogue"')].rpartition("[[evidence]]")[0]
    return parse_task((head + entry).encode(), "mine.toml")


def test_they_are_kept_apart_from_what_the_spectrum_shows():
    task = parsed(NUMBER + WORDS)
    assert [each.id for each in task.catalogue] == ["place", "named"]
    assert {"place", "named"}.isdisjoint(each.id for each in task.evidence)
    place, named = task.catalogue
    assert place.limits == ((0.0, 5.0), (1.0, 10.0)) and place.against == "gaia.bp_rp"
    assert named.words == ("UG",) and named.is_about_text and named.group == "names"
    colour = NUMBER.replace('"gaia.m_g"', '"twomass.j - twomass.h"')
    assert parsed(colour).catalogue[0].value == ("twomass.j", "twomass.h")


def test_a_task_asks_the_same_whatever_it_says_of_catalogues():
    assert parsed(NUMBER).asks_as(parsed(WORDS))
    other = parse_task(TEXT.replace("weight_for = 1.0", "weight_for = 1.1", 1).encode(), "x")
    assert not other.asks_as(parsed(NUMBER))


@pytest.mark.parametrize(("old", "new", "message"), [
    ('value = "gaia.m_g"', 'value = "m_g"', r"evidence\[\d+\].value: expected a value of a ser"),
    ('value = "gaia.m_g"', 'value = "a.b - c.d - e.f"', "expected a value of a service"),
    ('expect = "above"', 'expect = "emission"', '"emission" is not one of: above, below, one_'),
    ("weight_for = 2.0", "weight_for = 4.0", "expected a number from 0 to 3"),
    ("weight_for = 2.0", "weight_for = -1.0", "expected a number from 0 to 3"),
    ("weight_against = -1.0", "weight_against = 1.0", "expected a number from -3 to 0"),
    ("limits = [5.0, 10.0]", "limits = [5.0]", "as many as in limit_at; found 1 and 2"),
    ("limit_at = [0.0, 1.0]", "limit_at = [1.0, 1.0]", "expected rising numbers"),
    ("limit_at = [0.0, 1.0]", "limit_at = [0.0, nan]", "expected a number from -10000"),
    ('source = "Somebody 2019"\n', "", "source: missing; expected text"),
    ("{value:.1f}", "{sigma:.1f}", r"expected only \{label\}, \{value\} and \{limit\}"),
    ('label = "absolute G"', 'label = "<|im_start|>"', "looks like chat markup"),
    ("scale = 0.5", "scale = 0.5\nmin_snr = 3", '"min_snr": unknown key'),
    ('id = "place"', 'id = "halpha_emission"', "is used twice"),
    ('kind = "catalogue"', 'kind = "catalog"', 'did you mean "catalogue"'),
    ('words = ["UG"]', "words = []", "expected 1 to 40 texts"),
    ('other_words = ["RR"]', 'other_words = ["ug"]', '"ug" is among `words`, too'),
    ('value = "vsx.type"', 'value = "vsx.type - vsx.name"', "as gaia.bp_rp; found"),
    ('words = ["UG"]', 'words = ["UG"]\nthreshold = 1', '"threshold": unknown key'),
])  # fmt: skip
def test_faulty_numbers_and_words_are_refused(old, new, message):
    entry = NUMBER if old in NUMBER else WORDS
    assert old in entry
    with pytest.raises(ResourceError, match=message):
        parsed(entry.replace(old, new, 1))


def test_every_class_has_some_with_modest_weights_and_sources():
    for task in load_tasks():
        assert task.catalogue, task.id
        for claim in task.catalogue:
            assert all(VALUE_NAME.fullmatch(name) for name in claim.names)
            assert 0 <= claim.weight_for <= HEAVIEST and -HEAVIEST <= claim.weight_against <= 0
            assert re.search(r"\d{4}|simbad", claim.source), (task.id, claim.id)
            assert "{label}" in claim.text_found and "{value" in claim.text_absent
        weights = (each.weight_for for each in task.catalogue)
        assert max(weights) < max(each.weight_for for each in task.evidence), task.id
