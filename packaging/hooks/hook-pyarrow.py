"""Of Arrow what Parquet takes; PyInstaller's own hook takes its headers and sources, too."""

hiddenimports = [
    "pyarrow.compute",
    "pyarrow._parquet",
    "pyarrow._fs",
    "pyarrow._generated_version",
    "queue",
]
