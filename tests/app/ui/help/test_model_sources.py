"""Each model states its training data, as its card does."""

from __future__ import annotations

from dataclasses import replace

from agent.models.registry import list_models
from app.ui.help.model_sources import all_model_sources, model_sources, state_text

PUBLISHED = next(each for each in list_models() if each.card.name == "spec-o3-7b")


def test_the_measured_inspector_comes_first_and_is_fitted_on_simulations():
    first, *others = all_model_sources()
    assert (first.name, first.simulated_only, first.is_installed) == ("measured", True, True)
    assert others[0].name == "panel" and not others[0].simulated_only
    assert "spec-o3-7b" in [each.name for each in others]


def test_a_model_speaks_through_its_card():
    card = replace(PUBLISHED.card, trained_on="my <b>LAMOST</b> spectra", simulated_only=True)
    sources = model_sources(replace(PUBLISHED, card=card))
    assert sources.about == "my <b>LAMOST</b> spectra"
    assert state_text(sources) == "simulated spectra only"
    silent = model_sources(replace(PUBLISHED, card=replace(PUBLISHED.card, trained_on="")))
    assert silent.about == "The model card does not say what it was trained on."


def test_a_model_that_was_not_downloaded(tmp_path):
    assert state_text(model_sources(replace(PUBLISHED, folder=None))) == "not on this machine"
