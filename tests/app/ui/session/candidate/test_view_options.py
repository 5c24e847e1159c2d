"""Options of the plot stay within their limits and name what changed."""

import pytest

from app.core.session.velocity import Z_LIMIT
from app.ui.session.candidate import view_options
from app.ui.session.candidate.view_options import View, ViewOptions


def test_a_change_names_what_changed_within_its_limits(qtbot, qapp):
    view = View()
    with qtbot.waitSignal(view.changed) as changed:
        view.change(lines=False, labels=True)
    assert changed.args == [frozenset({"lines"})]
    with qtbot.assertNotEmitted(view.changed):
        view.change(lines=False)
    view.toggle("lines")
    assert view.options.lines
    view = View()
    view.change_smoothing(100)
    assert view.options.smoothing_px == view_options.SMOOTHINGS_PX[-1]
    view.change_smoothing(-100)
    assert view.options.smoothing_px == 0.0
    view.change(z=-5.0)
    assert view.options.velocity_kms == pytest.approx(-view_options.RV_LIMIT_KMS)
    view.change(z=99.0)
    assert view.options.z == Z_LIMIT
    view = View()
    view.switch("axis_nm")
    view.switch("flux_normalised")
    assert (view.options.wavelength_unit, view.options.flux) == ("nm", "normalised")
    view.switch("flux_f_nu")
    assert view.options.flux == "per_frequency"
    view.switch("flux_f_nu")
    view.switch("axis_nm")
    assert view.options == ViewOptions()


def test_the_window_has_a_name_and_a_frame(qtbot):
    view = View()
    view.change(z=0.1)
    assert view.observed((5000.0, 6000.0)) == pytest.approx((5500.0, 6600.0))
    with qtbot.waitSignal(view.window_changed) as changed:
        view.set_window((6500.0, 6600.0), "Hα")
    assert changed.args == [(6500.0, 6600.0)] and view.window_name == "Hα"
    with qtbot.assertNotEmitted(view.window_changed):
        view.set_window((6600.0, 6500.0))
        view.set_window((6500.0, 6600.0), "Hα")
    assert view.window == (6500.0, 6600.0)
