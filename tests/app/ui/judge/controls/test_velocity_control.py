"""Velocity and redshift: typed, dragged, fitted to a template, or of header and list."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate
from app.core.session.velocity import Z_LIMIT
from app.ui.judge.controls.velocity_control import TICKS, listed_redshift, tick_at, velocity_at
from app.ui.session.candidate.view_options import RV_LIMIT_KMS
from tests.app.ui.judge.controls.conftest import type_in
from tests.app.ui.steps import click, said

LIGHT_KMS = 299_792.458


def test_velocities_and_redshifts_are_typed_or_dragged(qtbot, panel, context):
    type_in(qtbot, panel.velocity.speed, "-150.5")
    assert context.view.options.velocity_kms == pytest.approx(-150.5)
    assert panel.velocity.slider.value() == tick_at(-150.5)
    assert panel.velocity.z.text() == f"{-150.5 / LIGHT_KMS:.5f}"
    type_in(qtbot, panel.velocity.z, "2.31")
    assert context.view.options.z == pytest.approx(2.31) and "z = 2.31" in panel.velocity.text
    assert panel.velocity.slider.value() == TICKS
    type_in(qtbot, panel.velocity.z, "99")
    assert context.view.options.z == Z_LIMIT
    click(qtbot, panel.velocity.reset)
    assert context.view.options.z == 0.0 and panel.velocity.speed.text() == "0.0"
    panel.velocity.slider.setValue(100)
    assert context.view.options.velocity_kms == pytest.approx(30.0)
    panel.velocity.slider.setValue(-TICKS)
    assert context.view.options.velocity_kms == pytest.approx(-RV_LIMIT_KMS)
    assert [tick_at(velocity_at(tick)) for tick in (-1000, 0, 500, 1000)] == [-1000, 0, 500, 1000]


def test_what_is_no_number_is_put_back(qtbot, panel, context):
    for text in ["", "abc", "nan", "inf", "1e999", "--3"]:
        type_in(qtbot, panel.velocity.speed, "20")
        type_in(qtbot, panel.velocity.speed, text or " ")
        assert context.view.options.velocity_kms == pytest.approx(20.0)
        assert panel.velocity.speed.text() == "20.0"


def test_leaving_the_box_by_tab_takes_what_is_typed(qtbot, panel, context):
    type_in(qtbot, panel.velocity.speed, "77", key=None)
    panel.setFocus(Qt.FocusReason.OtherFocusReason)
    panel.velocity.speed.clearFocus()
    assert context.view.options.z == 0.0 and panel.velocity.speed.text() == "0.0"
    type_in(qtbot, panel.velocity.speed, "77", key=Qt.Key.Key_Tab)
    assert context.view.options.velocity_kms == pytest.approx(77.0)
    type_in(qtbot, panel.velocity.speed, "12", key=None)
    context.velocity.shift(20.0)
    assert panel.velocity.speed.text() == "12"


def listed(**own):
    return Candidate(id=1, list_id=1, line=1, object_id="a", path="", own=own)


def spectrum(z):
    return Spectrum(wavelength=np.arange(1.0, 9.0) * 1e3, flux=np.ones(8), z=z)


def test_the_header_comes_first_and_what_is_no_redshift_is_not_offered():
    assert listed_redshift(spectrum(0.3), listed(z=0.1)) == (0.3, "header")
    assert listed_redshift(spectrum(None), listed(Redshift="0.1")) == (0.1, "list")
    assert listed_redshift(None, None) is None
    for value in ["", "none", None, True, "nan", "inf", 0.0, -9999.0, 1e9]:
        assert listed_redshift(None, listed(z=value)) is None


K_GIANT = "K giant (simulated)"


def shown(panel, context, kms, noise=0.02):
    """Show a K giant at this velocity."""
    wavelength, flux = panel.templates.load(K_GIANT)
    pixels = np.linspace(3900.0, 8900.0, 3500)
    flux = np.interp(pixels / (1.0 + kms / LIGHT_KMS), wavelength, flux)
    flux = flux + noise * np.random.default_rng(1).normal(size=flux.size)
    ivar = np.full(flux.size, noise**-2)
    context.current._set_spectrum(Spectrum(wavelength=pixels, flux=flux, ivar=ivar))


def test_a_fit_says_so_and_noise_moves_nothing(qtbot, panel, context):
    shown(panel, context, -80.0)
    assert not panel.velocity.fit.isEnabled()
    context.view.change(template=K_GIANT)
    with qtbot.waitSignal(context.view.changed):
        click(qtbot, panel.velocity.fit)
    assert context.view.options.velocity_kms == pytest.approx(-80.0, abs=5.0)
    qtbot.waitUntil(lambda: "K giant" in panel.velocity.note.text())
    assert "± " in panel.velocity.note.text() and "height" in panel.velocity.note.text()
    context.view.change(z=0.0)
    shown(panel, context, 0.0, noise=20.0)
    context.view.change(template=K_GIANT)
    context.commands.run("fit_velocity")
    qtbot.waitUntil(lambda: "Not fitted" in panel.velocity.note.text())
    assert context.view.options.z == 0.0


def test_a_fit_needs_a_template_and_the_redshift_of_the_header_a_click(qtbot, panel, context):
    assert "template first" in said(qtbot, context, "fit_velocity")
    assert panel.velocity.note.text()
    with qtbot.waitSignal(context.current.candidate_changed):
        context.current.next()
    qtbot.waitUntil(lambda: context.current.spectrum is not None)
    assert panel.velocity.note.text() == ""
    spectrum = replace(context.current.spectrum, z=0.0123)
    context.current._set_spectrum(spectrum)
    assert context.view.options.z == 0.0 and "0.01230" in panel.velocity.listed.text()
    click(qtbot, panel.velocity.listed)
    assert context.view.options.z == pytest.approx(0.0123)
    assert not panel.velocity.listed.isEnabled()
    context.current._set_spectrum(replace(spectrum, z=None))
    assert "of the header" not in panel.velocity.listed.text() or panel.velocity.listed.isHidden()
