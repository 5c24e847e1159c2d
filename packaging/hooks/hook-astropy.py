"""Of astropy what writing a FITS header and table takes; PyInstaller's own hook takes all of it."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

hiddenimports = [
    "astropy.io.fits",
    "astropy.tests.runner",
    *(name for name in collect_submodules("astropy.constants") if ".tests" not in name),
]
datas = [
    *collect_data_files("astropy", includes=["CITATION", "astropy.cfg"]),
    # Tables of its parsers for units: found as files, or written anew.
    *collect_data_files("astropy.units", True, includes=["**/*_parsetab.py", "**/*_lextab.py"]),
    *copy_metadata("astropy"),
    *copy_metadata("numpy"),
]
