"""What every model said, and what people measured, in every format."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.trajectory.trajectory import ModelRef
from app.core.exporting import export
from app.core.exporting.further_columns import MAX_MODELS
from app.core.inspections.store import add_inspection
from app.core.session.measurements import record_measurement, withdraw_measurement
from app.core.session.session import open_session
from tests.app.core.exporting.catalogues import CONTRACT, FORMATS, listed, read_back, read_csv
from tests.app.core.inspected import MEASURED, NANO, OTHER, said
from tests.app.core.session.test_measurements import BARE, HALPHA

LINE_COLUMNS = ("ew_{}", "ew_err_{}", "fwhm_kms_{}", "centroid_{}", "measured_by_{}")


def back(session, folder, suffix, **how):
    out = folder / f"out.{suffix}"
    report = export(session, out, which="all", **how)
    found = read_csv(out) if suffix == "csv" else read_back(out)
    assert tuple(found) == report.columns
    return found


def plain(cells, kind=str):
    return [None if cell in ("", None) else kind(cell) for cell in cells]


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_model_has_its_columns(session_path, tmp_path, suffix):
    with listed(session_path, [{}, {}, {}]) as session:
        add_inspection(session, 1, said("YES", 0.75, NANO, number=1))
        add_inspection(session, 2, said("NO", 0.25, NANO, number=2))
        add_inspection(session, 1, said("NO", 0.125, MEASURED, number=1))
        add_inspection(session, 3, said(None, None, OTHER, number=3))
        found = back(session, tmp_path, suffix)
    names = [*found][len(CONTRACT) :]
    assert names == [
        *("agent_measured_verdict", "agent_measured_p_yes", "agent_measured_model"),
        *("agent_nano_verdict", "agent_nano_p_yes", "agent_nano_model"),
        *("agent_nano_2_verdict", "agent_nano_2_p_yes", "agent_nano_2_model"),
    ]
    assert plain(found["agent_nano_verdict"]) == ["YES", "NO", None]
    assert plain(found["agent_nano_p_yes"], float) == [0.75, 0.25, None]
    nano = f"nano {'a' * 12}"
    assert plain(found["agent_nano_model"]) == [nano, nano, None]
    assert plain(found["agent_measured_verdict"]) == ["NO", None, None]
    assert plain(found["agent_nano_2_model"]) == [None, None, f"nano {'b' * 12}"]


def test_names_of_models_become_valid_ones_and_are_few(session_path, tmp_path):
    hostile = ["a/b c", "a.b-c", "变星", "=cmd()", *(f"m{n:02d}" for n in range(12))]
    with listed(session_path, [{"own": {"agent_m00_verdict": "x"}}]) as session:
        for name in hostile:
            add_inspection(session, 1, said(model=ModelRef(name=name, sha256="cc")))
        found = back(session, tmp_path, "csv")
    verdicts = [name for name in found if name.startswith("agent_") and name.endswith("_verdict")]
    assert len(verdicts) == 1 + MAX_MODELS
    assert verdicts[1:] == [
        *("agent_cmd_verdict", "agent_a_b_c_verdict", "agent_a_b_c_2_verdict"),
        *(f"agent_m{n:02d}_verdict" for n in range(5)),
    ]
    assert found["agent_m00_verdict_list"] == ["x"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_measured_lines(session_path, tmp_path, suffix):
    with listed(session_path, [{}, {}]) as session:
        record_measurement(session, 1, replace(HALPHA, ew=-99.0))
        record_measurement(session, 1, HALPHA)
        record_measurement(session, 2, BARE)
        gone = record_measurement(session, 2, replace(HALPHA, line="gone"))
        withdraw_measurement(session, gone.id)
        found = back(session, tmp_path, suffix)
    lines = [*found][len(CONTRACT) :]
    names = ("He_II_4686", "Halpha")
    assert lines == [each.format(name) for name in names for each in LINE_COLUMNS]
    assert plain(found["ew_Halpha"], float) == [-15.5, None]
    assert plain(found["ew_err_Halpha"], float) == [0.5, None]
    assert plain(found["fwhm_kms_Halpha"], float) == [354.0, None]
    assert plain(found["centroid_Halpha"], float) == [6564.9, None]
    assert plain(found["ew_He_II_4686"], float) == [None, 2.0]
    assert plain(found["ew_err_He_II_4686"]) == [None, None]
    assert plain(found["measured_by_Halpha"]) == ["Ada", None]


def test_the_last_of_each_reviewer(session_path, tmp_path):
    with listed(session_path, [{}]) as session:
        record_measurement(session, 1, replace(HALPHA, ew=1.0))
        record_measurement(session, 1, replace(HALPHA, ew=2.0))
    with open_session(session_path, "Ben") as ben:
        record_measurement(ben, 1, replace(HALPHA, ew=3.0))
        found = back(ben, tmp_path, "ecsv")
        assert (found["ew_Halpha"], found["measured_by_Halpha"]) == ([3.0], ["Ben"])
        assert back(ben, tmp_path, "ecsv", reviewer="Ada")["ew_Halpha"] == [2.0]


def test_without_any_there_are_no_such_columns(session_path, tmp_path):
    with listed(session_path, [{}]) as session:
        assert [*back(session, tmp_path, "csv")] == CONTRACT
