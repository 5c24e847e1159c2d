"""The version of the program, which pyproject.toml says."""

from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "spec-o3-workbench"


def program_version() -> str:
    """The installed version; "unknown" where the source runs without being installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"
