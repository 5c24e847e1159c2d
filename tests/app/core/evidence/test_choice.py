"""Which services are on, as the settings file says."""

from __future__ import annotations

import pytest

from app.core.evidence.choice import Choice, choice_from, read_choice
from app.services.catalogues.service import all_services


def test_all_are_off_at_first(tmp_path):
    assert read_choice(tmp_path / "none.toml") == Choice()
    assert Choice().services() == []


def test_the_commands_read_what_the_window_wrote(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(
        'services = ["gaia", "simbad", "future"]\n[service_changes]\n'
        '"gaia.release" = "DR4"\n"gaia.table" = "gaiadr4.gaia_source"\n'
        '"simbad.url" = "https://simbad.harvard.edu/simbad/sim-tap"\n'
    )
    simbad, gaia = read_choice(path).services()
    assert (gaia.release, gaia.table) == ("DR4", "gaiadr4.gaia_source")
    assert simbad.url == "https://simbad.harvard.edu/simbad/sim-tap"
    assert simbad.table == all_services()["simbad"].table


@pytest.mark.parametrize(
    ("name", "value"),
    [("gaia.url", "http://example.org/tap"), ("gaia.url", "file:///etc/passwd"),
     ("gaia.table", "a; DROP TABLE b"), ("gaia.release", ""), ("gaia.sends", "nothing"),
     ("nobody.release", "1"), ("gaia", "x"), ("gaia.release", 4)],
)  # fmt: skip
def test_what_may_not_be_set_is_left_out(name, value):
    assert choice_from(["gaia"], {name: value}).changes == {}


def test_a_faulty_file_turns_nothing_on(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_bytes(b"services = \xff")
    assert read_choice(path) == Choice()
    assert choice_from(3, 4) == choice_from([3], []) == Choice()
