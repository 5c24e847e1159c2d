"""Claims about catalogues in task files: what is read, and what is refused in words that help."""

from __future__ import annotations

import re

import pytest

from agent.errors import ResourceError
from agent.tasks.catalogue import BUNDLED, load_tasks
from agent.tasks.catalogue_evidence import HEAVIEST, VALUE_NAME
from agent.tasks.task_file import parse_task

TEXT = (BUNDLED / "cv.toml").read_text(encoding="utf-8")
NUMBER = """
[[evidence]]
id = "place"
kind = "catalogue"
label = "absolute G"
value = "gaia.m_g"
expect = "above"
against = "gaia.bp_rp"
limit_at = [0.0, 1.0]
limits = [5.0, 10.0]
scale = 0.5
weight_for = 2.0
weight_against = -1.0
source = "Somebody 2019"
text_found = "{label} {value:.1f}"
text_absent = "{label} {value:.1f}, not beyond {limit:.1f}"
"""
WORDS = """
[[evidence]]
id = "named"
kind = "catalogue"
label = "VSX"
value = "vsx.type"
expect = "one_of"
words = ["UG"]
other_words = ["RR"]
weight_for = 1.0
weight_against = -1.0
group = "names"
source = "Somebody 2019"
text_found = "{label} says {value}"
text_absent = "{label} says {value}"
"""


def parsed(entry: str):
    head = TEXT[: TEXT.index('kind = "catalogue"')].rpartition("[[evidence]]")[0]
    return parse_task((head + entry).encode(), "mine.toml")


def test_they_are_kept_apart_from_what_the_spectrum_shows():
    task = parsed(NUMBER + WORDS)
    assert [each.id for each in task.catalogue] == ["place", "named"]
    assert {"place", "named"}.isdisjoint(each.id for each in task.evidence)
    place, named = task.catalogue
    assert place.limits == ((0.0, 5.0), (1.0, 10.0)) and place.against == "gaia.bp_rp"
    assert named.words == ("UG",) and named.is_about_text and named.group == "names"
    colour = NUMBER.replace('"gaia.m_g"', '"twomass.j - twomass.h"')
    assert parsed(colour).catalogue[0].value == ("twomass.j", "twomass.h")


def test_a_task_asks_the_same_whatever_it_says_of_catalogues():
    assert parsed(NUMBER).asks_as(parsed(WORDS))
    other = parse_task(TEXT.replace("weight_for = 1.0", "weight_for = 1.1", 1).encode(), "x")
    assert not other.asks_as(parsed(NUMBER))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'value = "gaia.m_g"',
            'value = "m_g"',
            r"evidence\[\d+\].value: expected a value of a ser",
        ),
        ('value = "gaia.m_g"', 'value = "a.b - c.d - e.f"', "expected a value of a service"),
        ('expect = "above"', 'expect = "emission"', '"emission" is not one of: above, below, one_'),
        ("weight_for = 2.0", "weight_for = 4.0", "expected a number from 0 to 3"),
        ("weight_for = 2.0", "weight_for = -1.0", "expected a number from 0 to 3"),
        ("weight_against = -1.0", "weight_against = 1.0", "expected a number from -3 to 0"),
        ("limits = [5.0, 10.0]", "limits = [5.0]", "as many as in limit_at; found 1 and 2"),
        ("limit_at = [0.0, 1.0]", "limit_at = [1.0, 1.0]", "expected rising numbers"),
        ("limit_at = [0.0, 1.0]", "limit_at = [0.0, nan]", "expected a number from -10000"),
        ('source = "Somebody 2019"\n', "", "source: missing; expected text"),
        ("{value:.1f}", "{sigma:.1f}", r"expected only \{label\}, \{value\} and \{limit\}"),
        ('label = "absolute G"', 'label = "<|im_start|>"', "looks like chat markup"),
        ("scale = 0.5", "scale = 0.5\nmin_snr = 3", '"min_snr": unknown key'),
        ('id = "place"', 'id = "halpha_emission"', "is used twice"),
        ('kind = "catalogue"', 'kind = "catalog"', 'did you mean "catalogue"'),
    ],
)
def test_a_faulty_number_is_refused(old, new, message):
    assert old in NUMBER
    with pytest.raises(ResourceError, match=message):
        parsed(NUMBER.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('words = ["UG"]', "words = []", "expected 1 to 40 texts"),
        ('other_words = ["RR"]', 'other_words = ["ug"]', '"ug" is among `words`, too'),
        ('value = "vsx.type"', 'value = "vsx.type - vsx.name"', "as gaia.bp_rp; found"),
        ('words = ["UG"]', 'words = ["UG"]\nthreshold = 1', '"threshold": unknown key'),
    ],
)
def test_faulty_words_are_refused(old, new, message):
    assert old in WORDS
    with pytest.raises(ResourceError, match=message):
        parsed(WORDS.replace(old, new, 1))


def test_every_class_has_some_with_modest_weights_and_sources():
    for task in load_tasks():
        assert task.catalogue, task.id
        for claim in task.catalogue:
            assert all(VALUE_NAME.fullmatch(name) for name in claim.names)
            assert 0 <= claim.weight_for <= HEAVIEST and -HEAVIEST <= claim.weight_against <= 0
            assert re.search(r"\d{4}|simbad", claim.source), (task.id, claim.id)
            assert "{label}" in claim.text_found and "{value" in claim.text_absent
        weights = (each.weight_for for each in task.catalogue)
        assert max(weights) < max(each.weight_for for each in task.evidence), task.id
