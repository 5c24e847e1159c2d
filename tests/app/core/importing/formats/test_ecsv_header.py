"""Headers of ECSV lists."""

from __future__ import annotations

import pytest

from app.core.errors import ImportFailed
from tests.app.core.importing.formats.text_lists import opened, rows


def test_ecsv_that_says_more_than_it_holds(folder):
    head = "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: name, datatype: string}\n"
    head += "# - {name: n, datatype: int64, unit: km / s, description: 'a: b'}\n# meta: !!omap []\n"
    file = opened(folder, head + 'name n\n"a b" 1\nc ""\nd x\n', "list.ecsv")
    file.recheck_types()
    assert [(c.name, c.kind, c.unit, c.description) for c in file.columns] == [
        ("name", "str", "", ""),
        ("n", "str", "km / s", "a: b"),
    ]
    assert rows(file) == {1: ("a b", "1"), 2: ("c", ""), 3: ("d", "x")}


@pytest.mark.parametrize(
    "datatype",
    ["", "datatype: 5", "datatype: [1, 2]", "datatype: [{datatype: int}]", "datatype: [" * 3000,
     "datatype: !!python/object/apply:os.system [id]", "delimiter: x", "datatype: &a [*a]"],
)  # fmt: skip
def test_damaged_ecsv(folder, datatype):
    with pytest.raises(ImportFailed, match="ECSV header"):
        opened(folder, f"# %ECSV 1.0\n# ---\n# {datatype}\nname\na\n")


def test_yaml_that_multiplies_itself(folder):
    head = "# %ECSV 1.0\n# ---\n# datatype:\n# - &a {name: a, datatype: int64}\n"
    head += "# - &b {name: b, x: [*a, *a, *a, *a, *a, *a, *a, *a, *a]}\n"
    for name, before in zip("cdefghij", "bcdefghi", strict=True):
        head += f"# - &{name} {{name: {name}, x: [{', '.join([f'*{before}'] * 9)}]}}\n"
    assert len(opened(folder, head + "a b c d e f g h i j\n1 2 3 4 5 6 7 8 9 10\n").columns) == 10
