"""Any FITS table with a wavelength and a flux column: CALSPEC, XSL, ESO products and others."""

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.fits_table import FitsTable
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import NotMine, Request, build, checked_row, fits_of
from agent.spectra.readers.columns import ColumnChoice, ColumnField, choose_columns, read_columns
from agent.spectra.readers.libraries import describe
from agent.spectra.spectrum import Spectrum


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    hdu, fields, choice = _first_spectrum(fits)
    table = hdu.table
    names = [column.name for column in table.columns.values()]
    per_row = table.columns[names[choice.flux].upper()].is_vector
    row = checked_row(request, table.rows if per_row else 1)

    def values(number: int) -> NDArray[Any]:
        name = names[number]
        return table.cell(name, row) if per_row else table.column(name)

    data = read_columns(fields, choice, values)
    header = Header.joined(fits.primary.header, hdu.header)
    about = describe(file, header)
    return build(
        file, data.pixels, medium=about.medium or data.medium or "unknown",
        header=header, warnings=data.notes, format="FITS table", flux_unit=data.flux_unit, row=row,
        rows=table.rows if per_row else 1, **about.fields,
    )  # fmt: skip


def _first_spectrum(fits: FitsFile) -> tuple[Hdu, list[ColumnField], ColumnChoice]:
    refusal = NotMine("it has no binary table")
    for hdu in fits.tables():
        fields = list(_fields(hdu.table, hdu.header))
        try:
            return hdu, fields, choose_columns(fields)
        except NotMine as error:
            refusal = error
    raise refusal


def _fields(table: FitsTable, header: Header) -> Iterator[ColumnField]:
    for column in table.columns.values():
        unit, ucd = (header.text(f"{key}{column.number}") for key in ("TUNIT", "TUCD"))
        yield ColumnField(column.name, unit, ucd)
