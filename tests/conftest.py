"""Fixtures every test may use."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from tests.night import examples

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is loaded anywhere
# Whoever runs the tests may have chosen a name in their own window.
os.environ["SPEC_O3_CONFIG"] = str(Path(os.devnull) / "none")
# Tests run beside one another: threads of theirs would only wait for each other, spinning.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# A shell that starts the tests in the background has them ignore Ctrl-C; some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every machine, and no complaint about a busy one.
settings.register_profile(
    "seeded",
    max_examples=examples(100),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("seeded")

# Most of what a test makes is gone when it ends: searching for garbage seldom is enough.
gc.set_threshold(20_000, 20, 20)


MOST_BYTES_IN_A_NAME = 12
LONGEST = ("attacks", "docs", "packaging", "train", "app/cli", "app/ui/window", "app/worker")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """As many as this process may run at once, where xdist counts what the machine has: each
    costs a quarter of a minute of imports before its first test."""
    allowed = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    quota = Path("/sys/fs/cgroup/cpu.max")
    share, _, period = quota.read_text().partition(" ") if quota.is_file() else ("max", "", "")
    return allowed if share == "max" else max(1, min(allowed, round(int(share) / int(period))))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Long bytes name no test: a gzip file holds the second in which it was made, and workers that
    collect other names run nothing."""
    return argname if isinstance(val, bytes) and len(val) > MOST_BYTES_IN_A_NAME else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first: a run ends with small tests, which any worker can take."""
    folders = tuple(f"tests/{folder}/" for folder in LONGEST)
    items.sort(key=lambda item: not item.nodeid.startswith(folders))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """No garbage is looked for among what is there for good: modules, and the tests themselves."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_sessionfinish() -> None:
    """llama_cpp opens the null device when it is imported and never closes it."""
    utils = sys.modules.get("llama_cpp._utils")
    for name in ("outnull_file", "errnull_file"):
        if (file := getattr(utils, name, None)) is not None:
            file.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Why tests were skipped, each reason once."""
    skipped = terminalreporter.stats.get("skipped", ())
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.most_common():
        if "llama_cpp" in reason:
            reason += " (with a C++ compiler here, `make test` would have built llama-cpp-python)"
        terminalreporter.write_line(f"{count} skipped: {reason}")


SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def shared(folder: str) -> Path:
    """A folder of real data beside the checkout; the test is skipped where it is absent."""
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"real spectra are not beside this checkout: {path}")
    return path


@pytest.fixture(scope="session")
def real_spectra() -> Path:
    return shared("spectra")


@pytest.fixture(scope="session")
def labelled_spectra() -> Path:
    return shared("labelled")


@pytest.fixture(scope="session")
def reference_pictures() -> Path:
    return shared("render")


@pytest.fixture
def own_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of this machine's user: an empty folder for models, a cache and remembered hashes,
    no token of the hub and no proxy."""
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    cache = "agent.models.check_files.user_cache_path"
    monkeypatch.setattr(cache, lambda *_, **__: tmp_path / "cache")
    return tmp_path / "models"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260601)
