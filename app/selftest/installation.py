"""What a check of the self-test is; and those that all modules, resources and engines load."""

import pkgutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module, resources
from pathlib import Path

from agent.engines.kind import EngineKind
from agent.engines.registry import ENGINES
from agent.errors import EngineError, WorkbenchError
from agent.spectra.lines import builtin_lines
from agent.tasks.catalogue import load_tasks
from app.worker.process import last_line

PACKAGES = ("agent", "app.cli", "app.core", "app.worker")
OPTIONAL = (
    *(package for engine in ENGINES for package in engine.packages),
    *("specutils", "psycopg", "astropy_healpix"),
)
"""Optional dependencies; own modules that need a missing one are skipped."""
LAZY_IMPORTS = (
    *("astropy.io.fits", "astropy_healpix", "gguf", "httpcore", "httpx", "huggingface_hub"),
    *("keyring", "matplotlib", "PIL", "scipy.fft", "scipy.linalg", "scipy.ndimage"),
    *("scipy.optimize", "scipy.signal", "scipy.spatial", "scipy.special", "sqlalchemy", "yaml"),
)
"""Dependencies that the code imports only when needed."""
FILES = (
    *("icons/spec-o3.svg", "icons/light/check.svg", "icons/dark/check.svg"),
    *("sample/candidates.csv", "sample/truth.csv", "templates/index.json"),
    *("translations/spec_o3_zh.qm", "weights/kinds.toml", "weights/quick.npz"),
    *("indices/m_stars.toml", "models/spec-o3-7b/model.toml", "help/images"),
)
"""One resource file of each kind."""


class CheckFailed(WorkbenchError):
    """A result is not what it must be."""


class CheckSkipped(WorkbenchError):
    """The check does not apply: an optional part is not installed."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """`run` gets an empty folder and returns a short result; it raises if the check fails."""

    part: str
    name: str
    run: Callable[[Path], str]


def require(condition: object, message: str) -> None:
    if not condition:
        raise CheckFailed(message)


def checks() -> Iterator[Check]:
    yield Check(part="parts", name="modules", run=_modules)
    yield Check(part="parts", name="resources", run=_resources)
    for engine in ENGINES:
        if engine.has_self_test:
            yield Check(part="parts", name=engine.program, run=partial(_engine, engine))


def is_frozen() -> bool:
    return bool(getattr(sys, "frozen", False))


def sample() -> Path:
    return Path(str(resources.files("resources"))) / "sample"


def _modules(folder: Path) -> str:
    loads = [_loads(name) for name in (*_own_modules(), *LAZY_IMPORTS)]
    left_out = loads.count(False)
    skipped = f", {left_out} that need more packages skipped" if left_out else ""
    return f"{loads.count(True)} loaded{skipped}"


def _loads(name: str) -> bool:
    """Whether the module loads; False if it needs a missing optional dependency."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise CheckFailed(f"{name}: {error}") from error
        return False
    return True


def _own_modules() -> Iterator[str]:
    """Our modules except app.ui, which is checked by opening the window."""
    for package in PACKAGES:
        path = import_module(package).__path__
        for found in pkgutil.walk_packages(path, f"{package}."):
            if not found.name.endswith("__main__"):
                yield found.name


def _resources(folder: Path) -> str:
    home = sample().parent
    missing = [name for name in FILES if not (home / name).exists()]
    require(not missing, f"missing: {', '.join(missing)}")
    tasks, lines = load_tasks(), builtin_lines()
    require(len(tasks) >= 8, f"{len(tasks)} tasks, not 8")
    require(lines, "no spectral lines")
    return f"{len(tasks)} tasks, {sum(1 for _ in sample().rglob('*.fits.gz'))} files of spectra"


def _engine(engine: EngineKind, folder: Path) -> str:
    """Check an engine without a model."""
    if engine.obstacle():
        raise CheckSkipped(f"not installed; needed for models of {engine.program}")
    try:
        return engine.self_test(folder)
    except EngineError as error:
        raise CheckFailed(last_line(str(error).splitlines()) or "it printed nothing") from error
