"""What the fuzzers kept, as each way through a reader is taken by one of these."""

from zipfile import ZipFile

import pytest

from agent.spectra.readers import registry
from tests.attacks.fuzz import CORPUS, READERS, feed


@pytest.mark.parametrize("name", READERS)
def test_what_a_fuzzer_kept_is_read_or_refused(name, monkeypatch):
    ours = [each for each in registry.READERS if each.name != "specutils"]
    monkeypatch.setattr(registry, "READERS", ours)
    with ZipFile(CORPUS) as kept:
        found = [each for each in kept.namelist() if each.startswith(f"{name}/")]
        assert found
        for each in found:
            feed(name, kept.read(each))
