"""Spectra read ahead take so much memory and no more."""

from __future__ import annotations

import gc
import random
import threading
import weakref

import pytest

from agent.errors import ReadError
from app.core.spectra.prefetch import Prefetch
from tests.app.core.spectra.slow_disk import SIZE, Disk, keys, spectrum
from tests.processes import LONG_S


def test_so_many_bytes_and_no_more():
    disk, all_keys = Disk(), keys(50)
    with Prefetch(disk.read, max_bytes=4 * SIZE + 10) as prefetch:
        for at in (0, 10, 11, 12, 40):
            prefetch.read_ahead(
                all_keys[at], all_keys[at + 1 :], all_keys[at - 1 :: -1] if at else []
            )
            assert prefetch.wait_until_idle(LONG_S)
            assert prefetch._bytes <= 4 * SIZE + 10
            # The nearest are the ones that are held.
            assert [prefetch.peek(all_keys[at + ahead]) is None for ahead in range(5)] == [
                False, False, False, False, True
            ]  # fmt: skip
        read = len(disk.begun)
        assert prefetch.wait_until_idle(LONG_S)
        assert len(disk.begun) == read  # what does not fit is not read again and again


def test_one_that_is_larger_than_all_the_room():
    with Prefetch(lambda key: spectrum(key.candidate_id, 10_000), max_bytes=SIZE) as prefetch:
        key = keys(1)[0]
        prefetch.read_ahead(key)
        assert prefetch.wait_until_idle(LONG_S)
        assert prefetch._bytes == 0
        assert len(prefetch.get(key)) == 10_000
        assert prefetch._bytes == 0


def test_so_many_spectra_and_no_more():
    disk, all_keys = Disk(), keys(200)
    with Prefetch(disk.read, ahead=2, behind=1) as prefetch:
        for at in range(1, 190):
            prefetch.read_ahead(all_keys[at], all_keys[at + 1 :], all_keys[at - 1 :: -1])
            prefetch.get(all_keys[at])
        assert prefetch.wait_until_idle(LONG_S)
        assert prefetch._bytes <= prefetch.max_count * SIZE
        assert prefetch.max_count == 7


def test_spectra_are_let_go():
    with Prefetch(lambda key: spectrum(key.candidate_id), ahead=1, behind=0) as prefetch:
        first = weakref.ref(prefetch.get(keys(1)[0]))
        for key in keys(30)[1:]:
            prefetch.get(key)
        gc.collect()
        assert first() is None


@pytest.mark.parametrize("seed", range(4))
def test_anything_at_once(seed):
    """Many threads look and ask in any order, some files fail, and there is too little room."""
    all_keys, failing = keys(40), {3, 17, 18, 31}

    def read(key):
        if key.candidate_id in failing:
            raise ReadError(f"no {key.candidate_id}")
        return spectrum(key.candidate_id)

    faults = []

    def roam(prefetch, number):
        draw = random.Random(seed * 100 + number)
        for _ in range(150):
            at = draw.randrange(40)
            if draw.random() < 0.4:
                prefetch.read_ahead(all_keys[at], all_keys[at + 1 :], all_keys[:at][::-1])
            try:
                found = prefetch.get(all_keys[at])
                if at in failing or found.row != at:
                    faults.append(at)
            except ReadError as error:
                if str(error) != f"no {at}":
                    faults.append(error)
            if prefetch._bytes > prefetch.max_bytes:
                faults.append("too much")

    with Prefetch(read, workers=3, max_bytes=6 * SIZE) as prefetch:
        threads = [threading.Thread(target=roam, args=(prefetch, each)) for each in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        assert prefetch.wait_until_idle(LONG_S)
        cached = prefetch._cache.values()
        assert prefetch._bytes == sum(each.result.bytes for each in cached)
