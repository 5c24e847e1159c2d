"""Archives that give spectra by number or position: SPARCL, SDSS, LAMOST and SSAP services."""
