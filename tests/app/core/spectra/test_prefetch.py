"""Spectra read ahead: in the right order, each once, and never a thread left behind."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from agent.errors import ReadError
from app.core.session.records import Candidate
from app.core.spectra import prefetch as prefetching
from app.core.spectra.prefetch import Prefetch, SpectrumKey, read_by_key, spectrum_key
from tests.app.core.spectra.slow_disk import Disk, keys
from tests.processes import LONG_S


def test_what_is_wanted_is_there_before_it_is_asked_for():
    disk, all_keys = Disk(), keys(20)
    with Prefetch(disk.read) as prefetch:
        prefetch.read_ahead(all_keys[5], all_keys[6:], all_keys[4::-1])
        assert prefetch.wait_until_idle(LONG_S)
        assert sorted(disk.begun) == [2, 3, 4, *range(5, 14)]
        for number in (5, 6, 13, 2):
            assert prefetch.get(all_keys[number]).row == number
        assert len(disk.begun) == 12  # nothing was read a second time
        assert prefetch.peek(all_keys[15]) is None
        assert prefetch.peek(all_keys[7]).row == 7


def test_the_current_first_then_forward_then_backward():
    disk, all_keys = Disk(is_open=False), keys(20)
    with Prefetch(disk.read, ahead=3, behind=2, workers=1) as prefetch:
        prefetch.read_ahead(all_keys[9], all_keys[10:], all_keys[8::-1])
        disk.let()
        assert prefetch.wait_until_idle(LONG_S)
    assert disk.begun == [9, 10, 11, 12, 8, 7]


def test_what_is_no_longer_wanted_is_not_begun():
    disk, all_keys = Disk(is_open=False), keys(100)
    with Prefetch(disk.read, ahead=5, behind=0, workers=1) as prefetch:
        prefetch.read_ahead(all_keys[0], all_keys[1:])
        disk.wait_until_begun(1)
        prefetch.read_ahead(all_keys[50], all_keys[51:])
        disk.let()
        assert prefetch.wait_until_idle(LONG_S)
        assert disk.begun == [0, 50, 51, 52, 53, 54, 55]
        assert prefetch.get(all_keys[0]).row == 0  # it had been begun, and is kept for the way back
        assert disk.begun.count(0) == 1


def test_get_waits_for_this_one_only():
    """Both workers are stuck with others; it is read by whoever asks."""
    disk, all_keys = Disk(is_open=False), keys(10)
    with Prefetch(disk.read, workers=2) as prefetch:
        prefetch.read_ahead(all_keys[0], all_keys[1:])
        disk.wait_until_begun(2)
        disk.let(7)
        assert prefetch.get(all_keys[7]).row == 7
        assert disk.begun.count(7) == 1
        disk.let()
        assert prefetch.wait_until_idle(LONG_S)
        assert max(Counter(disk.begun).values()) == 1


def test_many_ask_for_what_one_is_reading():
    disk, all_keys = Disk(is_open=False), keys(3)
    with Prefetch(disk.read, workers=1) as prefetch:
        prefetch.read_ahead(all_keys[0])
        disk.wait_until_begun(1)
        found, ready = [], threading.Barrier(9)

        def ask():
            ready.wait(LONG_S)
            found.append(prefetch.get(all_keys[0]))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        ready.wait(LONG_S)
        disk.let()
        for thread in threads:
            thread.join(LONG_S)
        assert len(found) == 8
        assert len({id(each) for each in found}) == 1
        assert disk.begun == [0]


def test_closing_waits_for_what_is_being_read_and_begins_nothing():
    disk, all_keys = Disk(is_open=False), keys(10)
    prefetch = Prefetch(disk.read, workers=2)
    prefetch.read_ahead(all_keys[0], all_keys[1:])
    disk.wait_until_begun(2)
    closer = threading.Thread(target=prefetch.close)
    closer.start()
    disk.let()
    closer.join(LONG_S)
    assert not closer.is_alive()
    assert sorted(disk.begun) == [0, 1]
    assert prefetch._bytes == 0
    assert prefetch.get(all_keys[4]).row == 4  # still read, no longer held
    assert prefetch.peek(all_keys[4]) is None
    prefetch.close()


def test_workers_sleep_while_there_is_nothing_to_do():
    """They look once when something changes, and not again."""
    disk, all_keys = Disk(), keys(3)
    looks = Counter()

    class Counting(Prefetch):
        def _next(self):
            looks[threading.current_thread().name] += 1
            return super()._next()

    with Counting(disk.read, workers=2) as prefetch:
        prefetch.read_ahead(all_keys[0], all_keys[1:])
        assert prefetch.wait_until_idle(LONG_S)
    assert sum(looks.values()) < 60


def test_a_candidate_is_read_by_row_or_targetid(monkeypatch):
    asked = []
    monkeypatch.setattr(prefetching, "read", lambda *args, **more: asked.append((args, more)))
    plain = Candidate(id=1, list_id=1, line=1, object_id="a", path="/a.fits", row=3)
    read_by_key(spectrum_key(plain))
    read_by_key(SpectrumKey(2, "/b.fits", 39_627_000_000_001))
    assert asked == [(("/a.fits", 3), {}), (("/b.fits",), {"target": 39_627_000_000_001})]
    with pytest.raises(ReadError, match="gives no file"):
        read_by_key(SpectrumKey(3, ""))


def test_an_address_that_failed_is_tried_again_later(monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(prefetching.time, "monotonic", lambda: clock[0])
    url = "s3://bucket/1.fits"
    before = prefetching.file_stamp(url)
    clock[0] += 1.0
    assert prefetching.file_stamp(url) == before
    clock[0] += prefetching.RETRY_S
    assert prefetching.file_stamp(url) != before
