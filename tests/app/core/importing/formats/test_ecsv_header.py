"""Headers of ECSV lists."""

import pytest

from app.core.errors import ImportFailed
from app.core.importing.formats.ecsv_header import ecsv_header
from tests.app.core.importing.lists import opened
from tests.app.core.importing.lists import texts_of as rows


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


def aliases(depth):
    head = "# - {name: a, unit: &a [x, x, x, x, x, x, x, x, x]}\n"
    for name, before in zip("bcdefghijklm"[:depth], "abcdefghijkl", strict=False):
        head += f"# - {{name: {name}, unit: &{name} [{', '.join([f'*{before}'] * 9)}]}}\n"
    return head


def merge_keys(depth):
    head = "# - &m0 {name: a, datatype: int64}\n"
    for number in range(1, depth):
        head += f"# - &m{number} {{<<: [*m{number - 1}, *m{number - 1}], name: b}}\n"
    return head


def ecsv(datatype, body="a b\n1 2\n"):
    return f"# %ECSV 1.0\n# ---\n# datatype:\n{datatype}{body}"


@pytest.mark.parametrize("datatype", [
    aliases(12), merge_keys(24),
    "# - &a {name: a}\n", "# - {name: &a a}\n", "# - {name: a, x: [&a b, *a]}\n",
    "# - {name: a, <<: {unit: m}}\n", "# - {name: a, x: {<<: {y: z}}}\n",
    "# - {name: !!str a}\n", "# - !!map {name: a}\n", "# - {name: a, unit: !x m}\n",
    "# - {name: a, unit: [m]}\n", "# - {name: a, description: {b: c}}\n",
    "# - {name: a, datatype: [int64]}\n", "# - {name: {a: b}}\n", "# - {? [a] : b, name: a}\n",
    "# - {name: a, x: " + "[" * 100 + "]" * 100 + "}\n",
    "# - {name: a, x: " + "{a: " * 100 + "b" + "}" * 100 + "}\n",
    "# - {name: a}\n# --- \n# - {name: b}\n", "# - {name: a}\n# ...\n# - {name: b}\n",
    "# - {name: a}\n# %YAML 9.9\n",
])  # fmt: skip
def test_only_plain_texts_are_taken_from_yaml(datatype):
    assert len(datatype) < 1500
    with pytest.raises(ImportFailed, match="ECSV header"):
        ecsv_header(ecsv(datatype))


def test_what_astropy_writes_beside_the_columns_is_skipped(folder):
    from astropy.table import Table

    table = Table({"name": ["a", "b"], "n": [1, 2]})
    table["n"].meta = {"x": [1, 2], "y": {"z": 1.5}}
    table["n"].unit, table["n"].description = "km / s", "a: b #c"
    table.meta = {"history": ["made", "by hand"], "&a": "*a"}
    table.write(folder / "made.ecsv", format="ascii.ecsv")
    text = (folder / "made.ecsv").read_text()
    assert "!!omap" in text
    header = ecsv_header(text)
    assert [(each.name, each.kind, each.unit, each.description) for each in header.columns] == [
        ("name", "str", "", ""), ("n", "int", "km / s", "a: b #c"),
    ]  # fmt: skip
    assert opened(folder, text, "list.ecsv").format == "ECSV"


def test_a_header_without_end_is_refused_and_texts_stay_texts():
    with pytest.raises(ImportFailed, match="ECSV header has more than 100,000 lines"):
        ecsv_header("# %ECSV 1.0\n# ---\n" + "#\n" * 100_000 + "name\na\n")
    numbers = "1" + ":1" * 5000
    header = ecsv_header(ecsv(
        f"# - {{name: 2020-01-01, unit: '{numbers}', description: {numbers}}}\n"
        "# - {name: 1_0, unit: 0x1F, description: yes}\n# - {name: 'null', unit: null}\n"
        "# - {name: '<<', unit: '&a *a !!x', description: ~}\n"
    ))  # fmt: skip
    assert [each.name for each in header.columns] == ["2020-01-01", "1_0", "null", "<<"]
    assert [each.unit[:9] for each in header.columns] == ["1:1:1:1:1", "0x1F", "", "&a *a !!x"]
    assert [each.description[:9] for each in header.columns] == ["1:1:1:1:1", "yes", "", ""]
