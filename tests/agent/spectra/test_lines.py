"""Line lists: contents, conversion to vacuum, and errors in files."""

from pathlib import Path

import numpy as np
import pytest

from agent.errors import ResourceError
from agent.spectra.air import AIR_BEGINS, air_to_vacuum, vacuum_to_air
from agent.spectra.lines import builtin_lines, label_of, load_line_lists

PROMISED = """
H_alpha H_beta H_gamma H_delta H_epsilon H_8 H_11 Pa_9 HeI_4471 HeI_5876 HeI_6678 HeII_4686
HeII_4542 HeII_5411 CaII_K CaII_H CaI_4227 CaII_8542 NaI_D NaI_5890 NaI_5896 MgI_5183
MgII_4481 BaII_4554 BaII_6497 SrII_4077 FeI_4383 OIII_5007 OIII_4959 NII_6583 SII_6716 OI_5577
TiO_7054 TiO_5167 TiO_4955 ZrO_6474 ZrO_6345 C2_5165 C2_4737 C2_5636 CN_7873 CaH_6382 VO_7372
LaO_7404 YO_6132 CH_4314 O2_A DIB_4428
"""

USER_LIST = """
name = "mine"
title = "My lines"
medium = "vacuum"
lines = [{ id = "FeX_6376", label = "[Fe X]", wavelength = 6376.3, species = "[Fe X]" }]
"""


def test_promised_lines_are_there() -> None:
    lists = builtin_lines()
    assert [name for name in PROMISED.split() if name not in lists] == []


@pytest.mark.parametrize(("line", "vacuum"), [
    ("H_alpha", 6564.61), ("CaII_K", 3934.77), ("C2_5165", 5166.6), ("CaII_8662", 8664.52),
])  # fmt: skip
def test_wavelengths_are_vacuum(line: str, vacuum: float) -> None:
    assert builtin_lines()[line].wavelength == pytest.approx(vacuum, abs=0.06)


def test_every_bundled_line_lies_in_its_windows_extent_and_air() -> None:
    for line in builtin_lines().sorted_lines:
        number = line.id.rpartition("_")[2]
        if len(number) >= 4 and number.isdigit() and line.wavelength > 3000 and not line.extent:
            assert float(vacuum_to_air(line.wavelength)) == pytest.approx(float(number), abs=1.01)
    for line in builtin_lines().sorted_lines:
        if line.window is None:
            continue
        blue, red = line.continuum
        assert blue[1] <= line.window[0] < line.wavelength < line.window[1] <= red[0], line.id
    for line in builtin_lines().sorted_lines:
        if line.extent is not None:
            assert line.extent[0] < line.wavelength < line.extent[1], line.id


def test_heads_know_where_they_fade_and_molecules_agree() -> None:
    heads = [line for line in builtin_lines().sorted_lines if line.kind == "band_head"]
    to_red = {line.species for line in heads if line.shaded == "red"}
    to_violet = {line.species for line in heads if line.shaded == "violet"}
    assert {"TiO", "ZrO", "VO", "LaO", "YO"} <= to_red
    assert {"C2", "MgH"} <= to_violet
    assert to_red & to_violet == {"CN"}  # the violet system and the red one


@pytest.mark.parametrize("number", ["6300", "6364"])
def test_forbidden_oxygen_is_a_line_of_stars_and_of_the_sky(number: str) -> None:
    star, sky = builtin_lines()[f"OI_{number}"], builtin_lines()[f"sky_OI_{number}"]
    assert star.wavelength == sky.wavelength
    assert star.moves_with_star and not sky.moves_with_star
    assert sky.label == f"{star.label} (sky)"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def test_user_list_is_added(mine: Path) -> None:
    mine.write_text(USER_LIST)
    lists = load_line_lists([mine])
    assert lists["FeX_6376"].wavelength == 6376.3
    assert "H_alpha" in lists
    assert "FeX_6376" not in load_line_lists()


@pytest.mark.parametrize(("entry", "message"), [
    ('{ id = "H_alpha", wavelength = 6563.0 }', r'\["H_alpha"\].id: .*already used in "hydr'),
    ('{ id = "bad id", wavelength = 6563.0 }', r'\["bad id"\].id: .*letters, digits and _'),
    ('{ id = "bad|>id", wavelength = 6563.0 }', r"lines\[.*letters, digits and _"),
    ("{ id = 7, wavelength = 6563.0 }", r"lines\[1\].id: expected text, found a number"),
    ("{ wavelength = 6563.0 }", r"lines\[1\].id: missing; expected text"),
    ('{ id = "x", wavelength = "red" }', r'\["x"\].wavelength: expected a number, found text'),
    ('{ id = "x", wavelength = nan }', "wavelength: expected a number from 100 to 100000 Å"),
    ('{ id = "x", wavelength = true }', "expected a number, found true or false"),
    ('{ id = "x", wavelength = -4.0 }', "a number from 100 to 100000 Å, found -4"),
    ('{ id = "x", wavelength = 0x' + "f" * 9000 + " }", "a number from 100 to 100000 Å$"),
    ('{ id = "x", wavelength = 6563.0, kind = "hill" }', 'kind: "hill" is not one of: line'),
    ('{ id = "x", wavelength = 6563.0, kind = "skye" }', 'did you mean "sky"'),
    ('{ id = "x", wavelength = 6563.0, kind = "band_head" }', "shaded: missing; expected"),
    ('{ id = "x", wavelength = 6563.0, extent = [7, 6] }', "extent: .* 100 to 100000 Å"),
    ('{ id = "x", wavelength = 6563.0, extent = [700, 600] }', "expected lower before upper"),
    ('{ id = "x", wavelength = 6563.0, extent = "all" }', "extent: expected a list"),
    ('{ id = "x", wavelength = 6563.0, extent = [] }', r"extent: expected \[lower, upper\]"),
    ('{ id = "x", wavelength = 6563.0, extent = [[600, 700], [800, 900]] }',
     r"extent: expected one pair \[lower, upper\], found 2"),
    ('{ id = "x", wavelength = 6563.0, window = [6550, 6570] }', "window and continuum together"),
    ('{ id = "x" }', r'\["x"\].wavelength: missing; expected a number'),
    ('{ id = "x", wavelenth = 6563.0 }', 'missing; .*did you mean "wavelenth"'),
    ('{ id = "x", wavelength = 6563.0, colour = "red" }', r'\["x"\]."colour": unknown key'),
    ('{ id = "x", wavelength = 6563.0, label = "<|im_end|>" }', "label: .*chat markup"),
    ('{ id = "x", wavelength = 6563.0, source = "</tool>" }', "source: .*chat markup"),
    ('{ id = "x", wavelength = 6563.0, species = "```" }', "species: .*chat markup"),
    ('{ id = "x", wavelength = 6563.0, label = "a\\u001b[2J" }', r"unprintable .* U\+001B"),
    ('{ id = "x", wavelength = 6563.0, label = "a\\u202e" }', r"unprintable .* U\+202E"),
    ('{ id = "x", wavelength = 6563.0, label = "' + "a" * 81 + '" }', "expected 1 to 80"),
])  # fmt: skip
def test_faults_name_file_entry_and_key(mine: Path, entry: str, message: str) -> None:
    mine.write_text(f'name = "mine"\nlines = [{entry}]\n')
    with pytest.raises(ResourceError, match=message) as caught:
        load_line_lists([mine])
    message = str(caught.value)
    assert message.startswith(f"{mine}: lines[")
    assert message.isprintable() and len(message) < 400 + len(str(mine.parent))


def test_what_an_entry_lacks_comes_from_the_head_of_its_file(mine: Path) -> None:
    head = 'name = "mine"\nkind = "band_head"\nshaded = "red"\nmedium = "vacuum"\n'
    entries = '{ id = "a", wavelength = 6000.0 }, { id = "b", wavelength = 7000.0, kind = "line" }'
    mine.write_text(f"{head}lines = [{entries}]\n")
    lists = load_line_lists([mine])
    assert (lists["a"].kind, lists["b"].kind) == ("band_head", "line")
    assert lists["a"].shaded == "red" and lists["a"].wavelength == 6000.0
    mine.write_text(f'{head}lins = []\nlines = [{{ id = "a", wavelength = 6000.0 }}]\n')
    with pytest.raises(ResourceError, match='"lins": unknown key; did you mean "lines"'):
        load_line_lists([mine])


def test_a_long_list_may_stand_in_one_line(mine: Path) -> None:
    entries = ", ".join(f'{{ id = "x{n}", wavelength = {6000 + n}.5 }}' for n in range(3000))
    mine.write_text(f'name = "mine"\nlines = [{entries}]\n')
    assert load_line_lists([mine])["x2999"].label == "x2999"


@pytest.mark.parametrize("text", [
    "lines = 3\nname = 'a'", "name = 'a'", "not toml at all [", "lines = []",
    "name = 'hydrogen'\nlines = []", "name = '../x'\nlines = []", "x = " + "[" * 5000,
    "x = " + "9" * 5000,
])  # fmt: skip
def test_a_file_that_is_no_list_is_refused(mine: Path, text: str) -> None:
    mine.write_text(text)
    with pytest.raises(ResourceError, match=r"mine\.toml"):
        load_line_lists([mine])


@pytest.mark.parametrize("text", [
    "a." * 20_000 + "a = 1",
    '"a" . ' * 7_000 + "a = 1",
    "'a'." * 10_000 + "a = 1",
    r'"\".".' * 7_000 + "a = 1",
    "[" + "a." * 20_000 + "a]",
    "lines = [{ " + "a." * 20_000 + "a = 1 }]",
    'x = """\n""" \n"k" = [{' + "a." * 20_000 + "a = 1 }]",
])  # fmt: skip
def test_a_key_that_takes_seconds_to_parse_is_refused_before(mine: Path, text: str) -> None:
    mine.write_text(text.replace("\\n", "\n"))
    with pytest.raises(ResourceError, match=r"mine\.toml: line \d has a key of too many parts"):
        load_line_lists([mine])


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * 2_100_000)
    for path in (binary, large, tmp_path / "absent.toml", tmp_path):
        with pytest.raises(ResourceError):
            load_line_lists([path])


def test_an_unknown_id_is_refused_with_a_guess_and_nearest_lines_come_by_distance() -> None:
    with pytest.raises(ResourceError, match='there is no line "H_omega"; did you mean "H_'):
        builtin_lines()["H_omega"]
    found = builtin_lines().nearest(6564.0, within=12.0)
    assert found[0].id == "H_alpha"
    distances = [abs(line.wavelength - 6564.0) for line in found]
    assert distances == sorted(distances) and max(distances) <= 12.0


def test_no_bundled_text_could_pass_for_chat_markup() -> None:
    for line in builtin_lines().sorted_lines:
        assert line.label.isprintable() and "<" not in line.label, line.id


@pytest.mark.parametrize(("name", "label"), [
    ("H_alpha", "Hα"), ("TiO_7054_edge", "TiO 7054"), ("Hydrogen", "Hydrogen"), ("", ""),
])  # fmt: skip
def test_names_as_people_write_them(name, label):
    assert label_of(name) == label


# Balmer lines, Ca II, Mg b, Na D, He I, Paschen as line lists print them: air, vacuum (two
# decimals, and two formulae in use differ by 0.001 A).
PUBLISHED = [
    (3835.39, 3836.48), (3970.07, 3971.19), (4101.74, 4102.90), (4340.47, 4341.69),
    (4471.48, 4472.73), (4861.33, 4862.69), (5015.68, 5017.08), (5875.62, 5877.25),
    (6562.80, 6564.61), (7065.19, 7067.14), (8598.39, 8600.75), (9229.01, 9231.54),
]  # fmt: skip
# NIST Atomic Spectra Database, O III and Na I: (air, vacuum) to four decimals, Edlen-type index.
PRECISE = [(5006.843, 5008.240), (4958.911, 4960.295), (5889.951, 5891.583), (5895.924, 5897.558)]


@pytest.mark.parametrize(("pairs", "within"), [(PUBLISHED, 0.012), (PRECISE, 0.002)])
def test_published_pairs(pairs: list[tuple[float, float]], within: float) -> None:
    for air, vacuum in pairs:
        assert air_to_vacuum(air) == pytest.approx(vacuum, abs=within)
        assert vacuum_to_air(vacuum) == pytest.approx(air, abs=within)


def test_known_offsets_of_a_list() -> None:
    offsets = air_to_vacuum([3700.0, 5000.0, 6563.0, 8500.0]) - [3700.0, 5000.0, 6563.0, 8500.0]
    np.testing.assert_allclose(offsets, [1.05, 1.39, 1.81, 2.33], atol=0.03)


def test_there_and_back_is_the_same_below_2000_vacuum_and_in_order() -> None:
    air = np.linspace(AIR_BEGINS, 25000.0, 20001)
    np.testing.assert_allclose(vacuum_to_air(air_to_vacuum(air)), air, rtol=0, atol=1e-9)
    vacuum = np.linspace(AIR_BEGINS + 1.0, 25000.0, 20001)
    np.testing.assert_allclose(air_to_vacuum(vacuum_to_air(vacuum)), vacuum, rtol=0, atol=1e-9)
    ultraviolet = np.linspace(900.0, 1999.9, 50)
    np.testing.assert_array_equal(air_to_vacuum(ultraviolet), ultraviolet)
    np.testing.assert_array_equal(vacuum_to_air(ultraviolet), ultraviolet)
    wavelength = np.arange(1900.0, 2100.0, 0.05)
    assert (np.diff(air_to_vacuum(wavelength)) > 0).all()
