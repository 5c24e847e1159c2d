"""The velocity fitted to the template on screen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from tests.app.ui.controls.steps import click

LIGHT_KMS = 299_792.458
K_GIANT = "K giant (simulated)"


def shown(panel, context, kms, noise=0.02):
    """Show a K giant at this velocity."""
    wavelength, flux = panel.templates.load(K_GIANT)
    pixels = np.linspace(3900.0, 8900.0, 3500)
    flux = np.interp(pixels / (1.0 + kms / LIGHT_KMS), wavelength, flux)
    flux = flux + noise * np.random.default_rng(1).normal(size=flux.size)
    ivar = np.full(flux.size, noise**-2)
    context.current._set_spectrum(Spectrum(wavelength=pixels, flux=flux, ivar=ivar))


def test_the_button_sets_the_velocity_and_says_so(qtbot, panel, context):
    shown(panel, context, -80.0)
    assert not panel.velocity.fit.isEnabled()
    context.view.change(template=K_GIANT)
    with qtbot.waitSignal(context.view.changed):
        click(qtbot, panel.velocity.fit)
    assert context.view.options.velocity_kms == pytest.approx(-80.0, abs=5.0)
    qtbot.waitUntil(lambda: "K giant" in panel.velocity.note.text())
    assert "± " in panel.velocity.note.text() and "height" in panel.velocity.note.text()


def test_noise_is_told_and_moves_nothing(qtbot, panel, context):
    shown(panel, context, 0.0, noise=20.0)
    context.view.change(template=K_GIANT)
    context.commands.run("fit_velocity")
    qtbot.waitUntil(lambda: "Not fitted" in panel.velocity.note.text())
    assert context.view.options.z == 0.0


def test_without_a_template_it_asks_for_one(qtbot, panel, context):
    with qtbot.waitSignal(context.current.message) as signal:
        context.commands.run("fit_velocity")
    assert "template first" in signal.args[0]


def test_the_sentence_goes_with_the_candidate(qtbot, panel, context):
    context.commands.run("fit_velocity")
    assert panel.velocity.note.text()
    with qtbot.waitSignal(context.current.candidate_changed):
        context.current.next()
    qtbot.waitUntil(lambda: context.current.spectrum is not None)
    assert panel.velocity.note.text() == ""


def test_the_redshift_of_the_header_is_used_after_a_click(qtbot, panel, context):
    spectrum = replace(context.current.spectrum, z=0.0123)
    context.current._set_spectrum(spectrum)
    assert context.view.options.z == 0.0
    assert "0.01230" in panel.velocity.listed.text()
    click(qtbot, panel.velocity.listed)
    assert context.view.options.z == pytest.approx(0.0123)
    assert not panel.velocity.listed.isEnabled()
    context.current._set_spectrum(replace(spectrum, z=None))
    assert "of the header" not in panel.velocity.listed.text() or panel.velocity.listed.isHidden()
