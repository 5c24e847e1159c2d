"""Sub-classes of the task files: keys that can be pressed, names that lead up to the class."""

from __future__ import annotations

import pytest

from agent.checked_toml import parse_toml
from agent.errors import ResourceError
from agent.tasks.catalogue import load_tasks
from agent.tasks.subclass import MAX_LEVELS, path_of, read_subclasses, subclasses_below

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


def test_levels():
    found = read(one(), one("h", "DAH", parent="DA"), one("e", "DB"))
    assert [each.name for each in subclasses_below("", found)] == ["DA", "DB"]
    assert [each.name for each in subclasses_below("DA", found)] == ["DAH"]
    assert subclasses_below("DA/DAH", found) == ()


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        *(
            ([one(key)], "a small letter but a, b, n, u, x")
            for key in ("a", "x", "n", "D", "4", "")
        ),
        ([one(), one("d", "DB")], "is the key of DA already"),
        ([one(), one("e", "da")], "used twice"),
        ([one("h", "DAH", parent="DA")], "not the name of an earlier"),
        ([one(name="D/A")], "without /"),
        ([one(colour="blue")], "unknown key"),
        (
            [one("c", "L1"), *(one("c", f"L{n}", parent=f"L{n - 1}") for n in range(2, 6))],
            f"more than {MAX_LEVELS} levels",
        ),
    ],
)
def test_what_cannot_be_used_is_told(entries, told):
    with pytest.raises(ResourceError, match=told):
        read(*entries)


def test_a_later_level_may_use_all_digits():
    assert read(one(), one("0", "DA0", parent="DA"))[1].key == "0"
