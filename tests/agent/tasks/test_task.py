"""Evidence as numbers and words, and what a task finds by id."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from agent.checked_toml import parse_toml
from agent.errors import ResourceError
from agent.spectra.lines import builtin_lines
from agent.tasks.catalogue import find_task, load_tasks, task_source
from agent.tasks.look import FILE, has_class, look_task
from agent.tasks.subclass import MAX_LEVELS, path_of, read_subclasses, subclasses_below
from agent.tasks.task import Evidence
from agent.tasks.task_file import parse_task


def claim(**changes: object) -> Evidence:
    values: dict[str, object] = {
        "id": "x", "label": "Hα", "rank": "primary", "kind": "line", "target": ("H_alpha",),
        "expect": "emission", "threshold": 4.0, "scale": 2.0, "weight_for": 3.0,
        "weight_against": -2.0, "window": "halpha", "min_snr": 3.0,
        "text_found": "{label} {value:.0f} at {sigma:.1f} sigma",
        "text_absent": "{label} {value:+.1f}, S/N {snr:.0f}",
    }  # fmt: skip
    return Evidence(**{**values, **changes})  # type: ignore[arg-type]


def test_log_odds_run_from_against_to_for_and_uncertain_values_weigh_less() -> None:
    emission = claim()
    assert emission.log_odds(-100) == pytest.approx(3.0)
    assert emission.log_odds(+50) == pytest.approx(-2.0)
    assert emission.log_odds(-4.0) == 0.0  # on the threshold
    assert emission.log_odds(-6.0) == pytest.approx(3 * 0.7616, abs=1e-3)
    assert emission.log_odds(-4.01) > 0 > emission.log_odds(-3.99)
    steps = [emission.log_odds(value) for value in (10, 0, -4, -8, -40)]
    assert all(low < high for low, high in pairwise(steps))
    assert 0 < emission.log_odds(-8, error=20) < emission.log_odds(-8)
    assert emission.log_odds(float("nan")) == 0.0
    assert emission.log_odds(-8, error=float("inf")) == 0.0


@pytest.mark.parametrize(("expect", "combine", "expected"), [
    ("emission", "any", -9.0), ("emission", "all", 2.0), ("absorption", "any", 2.0),
    ("absorption", "all", -9.0), ("below", "any", -9.0), ("above", "mean", -3.5),
    ("above", "sum", -7.0),
])  # fmt: skip
def test_values_of_several_targets_become_one(expect: str, combine: str, expected: float) -> None:
    entry = claim(expect=expect, combine=combine, kind="index")
    assert entry.combined([2.0, -9.0]) == expected


def test_a_ratio_divides_and_claims_speak_with_their_numbers() -> None:
    ratio = claim(kind="ratio", expect="above", target=("HeII_4686", "H_beta"))
    assert ratio.combined([-4.0, -10.0]) == pytest.approx(0.4)
    assert ratio.log_odds(ratio.combined([-4.0, 0.0])) == 0.0
    assert claim().text(-42.3, error=2.0) == "Hα 42 at 21.1 sigma"
    assert claim().text(1.25, snr=17.0) == "Hα -1.2, S/N 17"
    assert claim().text(-42.3) == "Hα 42 at unknown sigma"


def test_windows_are_found_by_id() -> None:
    cv = find_task("CV")
    assert cv.window("halpha").range[0] < 6564.6 < cv.window("halpha").range[1]


# The task without a class is a task file like the others, and is no class to choose.
def test_the_look_is_no_class_and_its_source_is_read_again_as_it_is() -> None:
    assert not has_class(look_task())
    assert all(has_class(task) for task in load_tasks())
    with pytest.raises(ResourceError, match="no task"):
        find_task("look")
    again = parse_task(task_source(look_task()).encode(), "a session")
    assert not has_class(again)
    assert again.windows == look_task().windows and again.evidence == ()
    lists = builtin_lines()
    assert set(look_task().lines) <= {each.name for each in lists.sets}
    known = [line.wavelength for line in lists.sorted_lines]
    for window in look_task().windows:
        for number in map(float, re.findall(r"(?<![\d.])\d{4}\.\d", window.look)):
            nearest = min(known, key=lambda value: abs(value - number))
            assert abs(nearest - number) < 0.11, number
            assert window.range[0] <= number <= window.range[1]


def test_a_task_file_cannot_take_its_id(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(ResourceError, match="means that there is no class"):
        load_tasks([tmp_path])


# Sub-classes of the task files: keys that can be pressed, names that lead up to the class.
TASKS = {each.id: each for each in load_tasks()}


def read(*entries):
    text = "".join(
        "[[subclasses]]\n" + "".join(f'{key} = "{value}"\n' for key, value in each.items())
        for each in entries
    )
    return read_subclasses(parse_toml(text.encode(), "mine.toml"))


def one(key="d", name="DA", **more):
    return {"key": key, "name": name, "description": "what it is", **more}


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_every_bundled_task_has_a_scheme_with_its_source(task):
    assert task.subclasses
    assert any(year in task.subclass_source for year in ("(19", "(20"))
    for level in ("", *(path_of(each.name, task.subclasses) for each in task.subclasses)):
        keys = [each.key for each in subclasses_below(level, task.subclasses)]
        assert len(set(keys)) == len(keys)


def test_the_names_of_the_wanted_types():
    names = {key: {each.name for each in task.subclasses} for key, task in TASKS.items()}
    assert names["WD"] >= {"DA", "DB", "DC", "DZ", "DQ", "DO", "DAH", "WD+MS"}
    assert names["CS"] >= {"C-H", "C-R", "C-N", "Ba", "dC", "CEMP"}
    assert names["CV"] >= {"DN", "NL", "polar", "AM CVn"}
    assert names["MG"] >= {f"M{number}" for number in range(10)}
    assert path_of("DAH", TASKS["WD"].subclasses) == "DA/DAH"


def test_levels_have_their_own_keys():
    found = read(one(), one("h", "DAH", parent="DA"), one("e", "DB"))
    assert [each.name for each in subclasses_below("", found)] == ["DA", "DB"]
    assert [each.name for each in subclasses_below("DA", found)] == ["DAH"]
    assert subclasses_below("DA/DAH", found) == ()
    assert read(one(), one("0", "DA0", parent="DA"))[1].key == "0"


@pytest.mark.parametrize(("entries", "told"), [
    *(
        ([one(key)], "a small letter but a, b, n, u, x")
        for key in ("a", "x", "n", "D", "4", "")
    ),
    ([one(), one("d", "DB")], "is the key of DA already"),
    ([one(), one("e", "da")], "used twice"),
    ([one("h", "DAH", parent="DA")], "not the name of an earlier"),
    ([one(name="D/A")], "without /"),
    ([one(colour="blue")], "unknown key"),
    ([one("c", "L1"), *(one("c", f"L{n}", parent=f"L{n - 1}") for n in range(2, 6))],
     f"more than {MAX_LEVELS} levels"),
])  # fmt: skip
def test_what_cannot_be_used_is_told(entries, told):
    with pytest.raises(ResourceError, match=told):
        read(*entries)
