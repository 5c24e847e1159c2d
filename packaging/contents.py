"""What belongs in the bundle and what does not: read by spec_o3.spec and by bundle.py."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "spec-o3"
TITLE = "Spec-o3 Workbench"
FOLDER = "spec-o3-workbench"
"""As our distribution, our window and our folders in a user's home are called."""
IDENTIFIER = "io.github.spec_o3_workbench"
SUFFIX = "speco3"
MIME = "application/x-speco3"
ICON = ROOT / "resources" / "icons" / "spec-o3.svg"

NEEDS_TORCH = "agent.engines.hf."
LEFT_OUT = (
    # Models in transformers' own form need a GPU's libraries, ten times as large as all the rest.
    *("torch", "transformers", "accelerate", "peft", "safetensors", "tokenizers"),
    # A cluster's machines have Python.
    "ray",
    # Of making models, people have reviewing in it; the rest of `train` is not asked for.
    *("trl", "datasets", "sklearn", "tensorboard", "skimage"),
    # Formats that specutils alone knows: with it come asdf, gwcs, ndcube and all of astropy.
    *("specutils", "asdf", "asdf_astropy", "gwcs", "ndcube"),
    *("pandas", "IPython", "tkinter", "pytest", "setuptools", "pkg_resources", "pip", "lib2to3"),
    *("pydoc_data", "cffi.setuptools_ext", "distutils"),
    # huggingface_hub is asked for a token alone; rich looks for the last two.
    *("hf_xet", "fsspec", "jupyter", "ipywidgets"),
    *("matplotlib.tests", "contourpy"),
    # pyqtgraph's 3-D, and what Qt has beside widgets.
    *("pyqtgraph.opengl", "pyqtgraph.examples", "OpenGL", "PySide6.QtNetwork", "PySide6.QtDBus"),
    *("PySide6.QtTest", "PIL._avif", "PIL._webp"),
    # Of Arrow, Parquet is wanted: no servers, no query engine, no clouds.
    *(f"pyarrow.{name}" for name in ("flight", "_flight", "dataset", "_dataset", "acero")),
    *(f"pyarrow.{name}" for name in ("_acero", "substrait", "_substrait", "orc", "_orc", "tests")),
    *(f"pyarrow.{name}" for name in ("_s3fs", "_gcsfs", "_azurefs", "_hdfs", "cuda", "_cuda")),
    *(f"pyarrow.{name}" for name in ("_dataset_orc", "_dataset_parquet", "cffi", "jvm", "gandiva")),
    # Of astropy, FITS is wanted, periods of light curves, and what pyvo imports for SAMP.
    *(f"astropy.{name}" for name in ("wcs", "cosmology", "modeling", "convolution", "stats")),
    *(f"astropy.{name}" for name in ("visualization", "samp", "nddata", "uncertainty", "conftest")),
)
"""Modules. What imports them can do without, or says that they are not here."""

UNWANTED = (
    # Where the pole was: no matter for spectra. Seconds to leap are looked for by an import.
    *(f"astropy_iers_data/data/{name}*" for name in ("eopc", "finals", "ReadMe", "Bulletin")),
    *(f"matplotlib/mpl-data/{name}/*" for name in ("images", "sample_data", "plot_directive")),
    *(f"matplotlib/mpl-data/fonts/{name}/*" for name in ("afm", "pdfcorefonts")),
    *(f"matplotlib/mpl-data/fonts/ttf/{name}*" for name in ("cm", "STIX", "DejaVuSerif")),
    "matplotlib/mpl-data/fonts/ttf/DejaVuSansMono*",
    # Widgets are painted by the processor, on X11, Wayland or nowhere: no GPU, no boards.
    *(f"*/Qt/plugins/{name}/*" for name in ("tls", "networkinformation", "generic", "qmltooling")),
    *(f"*/Qt/plugins/{name}/*" for name in ("egldeviceintegrations", "xcbglintegrations")),
    "*/Qt/plugins/wayland-graphics-integration-client/*",
    *(f"*/Qt/plugins/platforms/libq{name}.so" for name in ("eglfs", "linuxfb", "vkkhrdisplay")),
    *(f"*/Qt/plugins/platforms/libq{name}.so" for name in ("minimal", "minimalegl", "vnc")),
    "*/Qt/plugins/platformthemes/libqgtk3.so",  # the desktop portal shows the same dialogs
    *(f"*/plugins/imageformats/*q{name}.*" for name in ("gif", "icns", "tga", "tiff", "wbmp")),
    *("*libQt6EglF*", "*libQt6Network.*", "*/opengl32sw.dll", "*/Qt6Network.dll"),
    # Only gtk, Qt's network or a cloud would load these.
    *(f"lib{name}.so*" for name in ("gtk-3", "gdk-3", "gdk_pixbuf-2.0", "epoxy", "atk-*", "atspi")),
    *(f"lib{name}.so*" for name in ("cairo", "cairo-gobject", "pixman-1", "pango*", "harfbuzz")),
    *(f"lib{name}.so*" for name in ("thai", "datrie", "fribidi", "graphite2", "gio-2.0", "mount")),
    *(f"lib{name}.so*" for name in ("gmodule-2.0", "gobject-2.0", "blkid", "selinux", "jpeg")),
    *(f"lib{name}.so*" for name in ("gssapi_krb5", "krb5", "krb5support", "k5crypto", "com_err")),
    *(f"lib{name}.so*" for name in ("keyutils", "Xcomposite", "Xcursor", "Xdamage", "Xinerama")),
    *(f"lib{name}.so*" for name in ("arrow_flight", "arrow_s3", "arrow_python_flight")),
    *(f"*/lib{name}.so*" for name in ("arrow_flight", "arrow_s3", "arrow_python_flight")),
    *("*/tests/*", "*.pyi", "*.pxd", "*.h", "*.hpp", "*/include/*"),
)
"""Files, by their place in the bundle."""
QT_TRANSLATIONS = ("qtbase_zh_CN.qm",)

ENGINES = {"llama_cpp": "llama_cpp_python", "xllamacpp": "xllamacpp"}
"""Of GGUF models: what is imported, and what pip calls it."""

STRIPPED = (
    *("*/libpython*", "*/lib-dynload/*", "*/libarrow*", "*/libparquet*", "*/pyarrow/*.so"),
    *("*/kiwisolver/*", "*/yaml/*", "*mypyc*", "*/_highspy/*", "*/ft2font*"),
    *("*/xllamacpp/*", "*/cryptography/*", "*/sqlalchemy/*", "*/PIL/*"),
    *("*/astropy/*.so", "*/erfa/*.so"),
)
"""Libraries that come with their debugging symbols."""


def modules() -> list[str]:
    """What is imported by a name that nobody sees in the code."""
    from PyInstaller.utils.hooks import collect_submodules

    # The rooms are entry points: nothing in `app` imports them.
    packages = ("app", "agent", "train.review.window")
    own = [name for package in packages for name in collect_submodules(package)]
    own.append("train.review.commands")
    late = ["pyarrow", "pyarrow.compute", "pyarrow.parquet", "pyarrow.types", "yaml", engine()]
    # pyqtgraph loads these by name as it starts, and draws without them.
    late += ["PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets"]
    late += ["pyvo.samp", "astropy.timeseries"]
    return [name for name in own if not name.startswith(NEEDS_TORCH)] + late


def engine() -> str:
    """Of the two that read GGUF, one: llama-cpp-python where it was built, else xllamacpp's."""
    return next(name for name in ENGINES if find_spec(name) or name == "xllamacpp")


def left_out() -> list[str]:
    return [*LEFT_OUT, "xllamacpp" if engine() == "llama_cpp" else "llama_cpp"]


def data(root: Path = ROOT) -> list[tuple[str, str]]:
    """Files and the folders they go to."""
    from PyInstaller.utils.hooks import copy_metadata

    found = [(str(path), str(path.parent.relative_to(root))) for path in resources(root)]
    about = [entry for name in (FOLDER, ENGINES[engine()]) for entry in copy_metadata(name)]
    return [*found, (str(root / "LICENSE"), "."), *about]


def resources(root: Path = ROOT) -> Iterator[Path]:
    for path in sorted((root / "resources").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def is_wanted(place: str) -> bool:
    """Whether what would lie at this place, from the bundle's folder, belongs there."""
    name = PurePath(place).as_posix()
    if "/translations/" in name and name.startswith("PySide6"):
        return name.endswith(QT_TRANSLATIONS)
    return not any(fnmatch(name, pattern) for pattern in UNWANTED)


def without_start(scripts: list[Any]) -> list[Any]:
    """PyInstaller would have matplotlib look for every font of the system at each start."""
    return [script for script in scripts if script[0] != "pyi_rth_mplconfig"]


def note_sources(*taken: list[Any]) -> None:
    """Where each module, library and file was taken from, for licences.py."""
    out = ROOT / "build" / "app" / "sources.txt"
    lines = sorted({str(source) for entries in taken for _, source, _ in entries})
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def version(root: Path = ROOT) -> str:
    """The one place it is written down."""
    with (root / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def icon() -> str | None:
    """Drawn by icons.py for the systems that want one in the program's file."""
    suffix = {"win32": "ico", "darwin": "icns"}.get(sys.platform)
    path = ROOT / "build" / "app" / f"{FOLDER}.{suffix}"
    return str(path) if suffix and path.exists() else None


def macos_information() -> dict[str, Any]:
    """For the Finder: what the program is and which files it opens."""
    kind = {
        "UTTypeIdentifier": f"{IDENTIFIER}.session",
        "UTTypeDescription": f"{TITLE} session",
        "UTTypeConformsTo": ["public.data"],
        "UTTypeTagSpecification": {"public.filename-extension": [SUFFIX], "public.mime-type": MIME},
    }
    opened = {
        "CFBundleTypeName": f"{TITLE} session",
        "CFBundleTypeRole": "Editor",
        "LSHandlerRank": "Owner",
        "LSItemContentTypes": [f"{IDENTIFIER}.session"],
    }
    return {
        "CFBundleDocumentTypes": [opened],
        "UTExportedTypeDeclarations": [kind],
        "NSHighResolutionCapable": True,
        "LSMinimumSystemVersion": "12.0",
    }
