"""The languages of the window but English, in turn, and what is left of English in a text."""

import re

import pytest

from app.ui.base.translation.languages import LANGUAGES
from tests.app.ui.steps import speaking

OTHERS = [name for name in LANGUAGES if name != "en"]
ENGLISH = re.compile(r"(?<![A-Za-z])[a-z]{3,}(?![A-Za-z])")
"""An English word; names of lines and classes start with a capital letter or are short."""
UNITS = {"sdB", "sdO", "dMe", "km"}


def english_in(text):
    return set(ENGLISH.findall(text)) - UNITS


@pytest.fixture(params=OTHERS)
def language(request, qapp):
    with speaking(request.param):
        yield request.param
