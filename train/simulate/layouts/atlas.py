"""Library spectra as plain tables of wavelength, flux and, where known, ivar."""

from pathlib import Path

from astropy.io import fits

from train.simulate.layouts.common import AUTHOR, Entry, float32, mark_simulated, save


def file_name(entry: Entry) -> str:
    return f"atlas-sim-{entry.target.index:07d}.fits"


def write(path: Path, entry: Entry) -> None:
    seen, target = entry.observation, entry.target
    primary = fits.PrimaryHDU()
    header = primary.header
    mark_simulated(header, entry.stamp)
    header["AUTHOR"] = AUTHOR
    header["OBJECT"] = target.designation
    header["RA"] = (target.ra, "[deg] fictitious")
    header["DEC"] = (target.dec, "[deg] fictitious")
    header["VACUUM"] = (True, "Wavelengths are in vacuum")
    columns = [
        fits.Column(name="wavelength", format="D", unit="Angstrom", array=seen.wavelength),
        fits.Column(name="flux", format="E", array=float32(seen.flux)),
    ]
    if seen.errors_known:
        columns.append(fits.Column(name="ivar", format="E", array=float32(seen.ivar)))
    table = fits.BinTableHDU.from_columns(columns, name="SPECTRUM")
    save([primary, table], path)
