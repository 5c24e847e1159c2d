"""The scripts of packaging/, which are no package, as modules."""

import importlib
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "packaging"


@pytest.fixture
def script():
    with scripts() as load:
        yield load


@contextmanager
def scripts():
    """Import one by its name; none stays behind."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER)):
            del sys.modules[name]
