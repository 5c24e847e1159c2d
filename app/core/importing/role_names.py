"""Known column names of candidate lists by role. Within a role, the first match wins."""

import re


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PATH = _words("""
    path filepath file_path spectrum_path spec_path fits_path filename file_name spectrum_file
    spec_file specfile spectrum_filename spec_filename spectrum_name fitsname fits_name fitsfile
    fits_file local_path local_file file lamost_file
""")
MAYBE_PATH = _words("spectrum spec spectra fits url link dataproduct access_url")
"""Taken as path only if the values look like files."""
TARGET = _words("targetid target_id")
ROW = _words("row spec_row spectrum_row row_index row_number hdu_row irow fits_row")
OBJECT_FIRST = _words("""
    object_id objectid candidate_id cand_id candidateid spec_id specid spectrum_id spectrumid
    obsid obs_id lamost_obsid combined_obsid targetid field_mjd_catalogid
""")
"""Identifiers of a single spectrum."""
OBJECT = _words("""
    specobjid specobj_id objid obj_id sdss_id target_id source_id gaia_source_id gaia_id
    designation desig main_id name object object_name obj_name objname obj target target_name
    source source_name star star_name iauname iau_name sdss_name lamost_id uid catalogid
    identifier id candidate
""")
RA = _words("""
    ra ra_deg radeg ra_degrees raj2000_deg ra_j2000 raj2000 ra_icrs raicrs target_ra
    mean_fiber_ra fiber_ra plug_ra racat raobj ra_obj ra_2000 ra2000 right_ascension alpha
    alpha_j2000 gaia_ra ra_gaia ra_1 ra_obs ra_hms rahms
""")
DEC = _words("""
    dec dec_deg decdeg dedeg de_deg dec_degrees dej2000_deg dec_j2000 dej2000 decj2000 de_icrs
    deicrs dec_icrs target_dec mean_fiber_dec fiber_dec plug_dec deccat decobj dec_obj dec_2000
    dec2000 declination delta delta_j2000 de gaia_dec dec_gaia dec_1 dec_obs dec_dms decdms
""")
SCORE = _words("""
    score prob probability proba p_yes pyes p prob_yes class_prob cnn_prob pred_prob rf_prob
    ml_score anomaly_score classifier_score likelihood p_class p1 rank_score ranking_score
""")
SCORE_PATTERN = re.compile(
    r"(p|prob|proba|probability|score)_(?!\w*(err|error|flag|value)$)\w+"
    r"|\w+_(prob|proba|probability|score)"
)
LABEL = _words("""
    label true_label known_class known_type classification spectral_type spectype_lit sp_type
    sptype otype subclass sub_class subtype class class_name classname type spectype
""")
SNR = _words("""
    snr sn s_n s2n snr_median median_snr sn_median sn_median_all snmedian snmedianall snmedian_all
    mean_snr snr_mean snrg snr_g sn_g snrr snr_r sn_r snri snr_i sn_i snr_b snr_z snrz snru
""")
_PARTS = _words("plate mjd lmjd fiber fiberid planid spid healpix tileid")
_GROUPS = (PATH, MAYBE_PATH, TARGET, ROW, OBJECT_FIRST, OBJECT, RA, DEC, SCORE, LABEL, SNR, _PARTS)
_KNOWN = frozenset(name for group in _GROUPS for name in group)


def normalized_name(name: str) -> str:
    """The name in lower case without units: 'RA (deg)', '_RA' and 'Ra [deg]' become 'ra'."""
    text = re.sub(r"[\[(].*", "", name.lower())
    return re.sub(r"[^a-z0-9]+", "_", text).strip("_")


def is_known_name(name: str) -> bool:
    return normalized_name(name) in _KNOWN
