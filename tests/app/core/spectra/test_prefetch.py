"""Spectra read ahead: in the right order, each once, and never a thread left behind."""

import gc
import os
import random
import threading
import weakref
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate
from app.core.spectra import prefetch as prefetching
from app.core.spectra.prefetch import (
    BYTES_PER_PIXEL,
    ERROR_BYTES,
    Prefetch,
    SpectrumKey,
    read_by_key,
    spectrum_key,
)
from tests.night import seeds
from tests.processes import LONG_S

PIXELS = 100
SIZE = ERROR_BYTES + PIXELS * (16 + BYTES_PER_PIXEL)


def spectrum(number, pixels=PIXELS):
    return Spectrum(
        wavelength=np.linspace(4000, 9000, pixels), flux=np.full(pixels, float(number)), row=number
    )


def keys(count):
    return [SpectrumKey(number, f"/nowhere/{number}.fits") for number in range(count)]


class Disk:
    """A reader that waits for permission, and remembers what was asked of it."""

    def __init__(self, is_open=True):
        self.lock = threading.Lock()
        self.begun = []
        self.arrived = threading.Condition(self.lock)
        self.gates = Counter()
        self.is_open = is_open

    def read(self, key):
        with self.lock:
            self.begun.append(key.candidate_id)
            self.arrived.notify_all()
            assert self.arrived.wait_for(
                lambda: self.is_open or self.gates[key.candidate_id] > 0, LONG_S
            )
        return spectrum(key.candidate_id)

    def wait_until_begun(self, count):
        with self.lock:
            assert self.arrived.wait_for(lambda: len(self.begun) >= count, LONG_S)

    def let(self, *numbers):
        with self.lock:
            for number in numbers:
                self.gates[number] += 1
            self.is_open = self.is_open or not numbers
            self.arrived.notify_all()


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
    with Prefetch(disk.read, workers=1) as prefetch, ThreadPoolExecutor(8) as pool:
        prefetch.read_ahead(all_keys[0])
        disk.wait_until_begun(1)
        ready = threading.Barrier(9)

        def ask():
            ready.wait(LONG_S)
            return prefetch.get(all_keys[0])

        asked = [pool.submit(ask) for _ in range(8)]
        ready.wait(LONG_S)
        disk.let()
        assert len({id(each.result(LONG_S)) for each in asked}) == 1
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


# Spectra read ahead that cannot be read: what is remembered, and who is told.
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
    asked = threading.Event()

    class Told(Future):
        def result(self, timeout=None):
            asked.set()
            return super().result(timeout)

    monkeypatch.setattr(prefetching, "Future", Told)
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


# Spectra read ahead take so much memory and no more.
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


def test_so_many_spectra_and_no_more_and_one_larger_than_the_room():
    disk, all_keys = Disk(), keys(200)
    with Prefetch(disk.read, ahead=2, behind=1) as prefetch:
        for at in range(1, 190):
            prefetch.read_ahead(all_keys[at], all_keys[at + 1 :], all_keys[at - 1 :: -1])
            prefetch.get(all_keys[at])
        assert prefetch.wait_until_idle(LONG_S)
        assert prefetch._bytes <= prefetch.max_count * SIZE
        assert prefetch.max_count == 7
    with Prefetch(lambda key: spectrum(key.candidate_id, 10_000), max_bytes=SIZE) as prefetch:
        key = keys(1)[0]
        prefetch.read_ahead(key)
        assert prefetch.wait_until_idle(LONG_S)
        assert prefetch._bytes == 0
        assert len(prefetch.get(key)) == 10_000
        assert prefetch._bytes == 0


def test_spectra_are_let_go():
    with Prefetch(lambda key: spectrum(key.candidate_id), ahead=1, behind=0) as prefetch:
        first = weakref.ref(prefetch.get(keys(1)[0]))
        for key in keys(30)[1:]:
            prefetch.get(key)
        gc.collect()
        assert first() is None


@pytest.mark.parametrize("seed", seeds(by_day=2, by_night=4))
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
            with prefetch._changed:  # between adding and evicting it may be more
                if prefetch._bytes > prefetch.max_bytes:
                    faults.append("too much")

    with Prefetch(read, workers=3, max_bytes=6 * SIZE) as prefetch:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(partial(roam, prefetch), range(4)))
        assert faults == []
        assert prefetch.wait_until_idle(LONG_S)
        assert prefetch._bytes == sum(each.bytes for each in prefetch._cache.values())
