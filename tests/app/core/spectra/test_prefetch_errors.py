"""Spectra read ahead that cannot be read: what is remembered, and who is told."""

from __future__ import annotations

import os
import threading

import pytest

from agent.errors import ReadError
from app.core.spectra import prefetch as prefetching
from app.core.spectra.prefetch import Prefetch, SpectrumKey, read_by_key
from tests.app.core.spectra.slow_disk import keys, spectrum
from tests.processes import LONG_S


def test_an_error_is_remembered_until_the_file_is_mended(tmp_path):
    path = tmp_path / "a.dat"
    path.write_text("nothing of use")
    key = SpectrumKey(1, str(path))
    reads = []

    def read(key):
        reads.append(key)
        return read_by_key(key)

    with Prefetch(read) as prefetch:
        prefetch.read_ahead(key)
        assert prefetch.wait_until_idle(LONG_S)
        for _ in range(3):
            with pytest.raises(ReadError, match=r"a\.dat") as told:
                prefetch.get(key)
            assert told.value.reasons
        with pytest.raises(ReadError):
            prefetch.peek(key)
        assert len(reads) == 1
        path.write_text("\n".join(f"{4000 + pixel} {1 + pixel % 7}" for pixel in range(200)))
        assert len(prefetch.get(key)) == 200
        assert len(reads) == 2
        path.unlink()
        assert len(prefetch.get(key)) == 200  # what is held is held


def test_a_mended_file_is_read_ahead_again(tmp_path):
    path = tmp_path / "a.dat"
    key, other = SpectrumKey(1, str(path)), keys(1)[0]
    with Prefetch() as prefetch:
        prefetch.read_ahead(other, [key])
        assert prefetch.wait_until_idle(LONG_S)
        with pytest.raises(ReadError):
            prefetch.peek(key)
        path.write_text("\n".join(f"{4000 + pixel} {1 + pixel % 7}" for pixel in range(200)))
        prefetch.read_ahead(other, [key])
        assert prefetch.wait_until_idle(LONG_S)
        assert len(prefetch.peek(key)) == 200


def test_the_same_size_at_another_time_is_another_file(tmp_path):
    path = tmp_path / "a.dat"
    path.write_text("x")
    key, reads = SpectrumKey(1, str(path)), []

    def read(key):
        reads.append(1)
        raise ReadError("no")

    with Prefetch(read) as prefetch:
        for time_ns, count in ((10**18, 1), (10**18, 1), (10**18 + 1000, 2)):
            os.utime(path, ns=(time_ns, time_ns))
            with pytest.raises(ReadError, match="no"):
                prefetch.get(key)
            assert len(reads) == count


def test_a_mistake_of_ours_reaches_who_asks():
    reads = []

    def read(key):
        reads.append(key)
        raise ZeroDivisionError("ours")

    with Prefetch(read, workers=1) as prefetch:
        prefetch.read_ahead(*[keys(3)[0]], keys(3)[1:])
        assert prefetch.wait_until_idle(LONG_S)
        assert len(reads) == 3  # the worker lives, and does not try for ever
        with pytest.raises(ZeroDivisionError, match="ours"):
            prefetch.get(keys(3)[1])


def test_an_interrupted_read_leaves_nobody_waiting(monkeypatch):
    wait = prefetching._ReadInProgress.wait_for_result
    asked = threading.Event()

    def tell_and_wait(reading, changed):
        asked.set()
        return wait(reading, changed)

    monkeypatch.setattr(prefetching._ReadInProgress, "wait_for_result", tell_and_wait)
    entered, key = threading.Event(), keys(1)[0]
    waiting = threading.Event()
    calls = []

    def read(key):
        calls.append(key)
        if len(calls) > 1:
            return spectrum(0)
        entered.set()
        assert waiting.wait(LONG_S)
        raise KeyboardInterrupt

    with Prefetch(read) as prefetch:
        told = []

        def ask():
            with pytest.raises(ReadError, match="interrupted"):
                prefetch.get(key)
            told.append(1)

        def interrupt():
            with pytest.raises(KeyboardInterrupt):
                prefetch.get(key)

        first = threading.Thread(target=interrupt)
        first.start()
        assert entered.wait(LONG_S)
        second = threading.Thread(target=ask)
        second.start()
        assert asked.wait(LONG_S)
        waiting.set()
        first.join(LONG_S)
        second.join(LONG_S)
        assert told == [1]
        assert prefetch.get(key).row == 0
