"""The features: measurements that tell kinds of objects apart, with words for low and high values.

Equivalent widths are in angstrom, absorption positive. An edge is the fractional drop across a band
head. Ratios and breaks are defined in resources/indices.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class KindFeature:
    """A measurement; `low` and `high` describe its extremes, empty if one means little alone."""

    name: str
    label: str
    unit: str
    low: str
    high: str
    border: float | None = None
    """Physical border between low and high, such as 0 between emission and absorption."""
    low_to: float | None = None
    """The highest value that is called low, where between low and high neither is said."""
    high_from: float | None = None

    def words(self, value: float, middle: float) -> str:
        """The description without the value; `middle` replaces a missing border."""
        if not math.isfinite(value):
            return ""
        border = middle if self.border is None else self.border
        if value > (border if self.high_from is None else self.high_from):
            return self.high
        return self.low if value <= (border if self.low_to is None else self.low_to) else ""

    def text(self, value: float, middle: float, error: float = 0.0) -> str:
        """The description with the value and its error, or an empty text."""
        words = self.words(value, middle)
        if not words:
            return ""
        digits = 0 if self.unit == "km/s" or abs(value) >= 20 else 1 if self.unit else 2
        unit = f" {self.unit}" if self.unit else ""
        number = plain_zero(f"{value:.{digits}f}")
        if float(f"{error:.{digits}f}"):
            number += f" ± {error:.{digits}f}"
        return f"{words} ({self.label} {number}{unit})"


def plain_zero(number: str) -> str:
    """A number without the sign of a zero, such as that of -0.00."""
    return number.removeprefix("-") if float(number) == 0 else number


CLEAR_STEP = 0.04  # a real band head has a larger fractional drop
# Claims of the tasks call a smaller step none, since other bands make such steps.
NAMED_STEP: Mapping[str, float] = MappingProxyType(
    {
        "TiO_7054": 0.12, "TiO_6158": 0.08, "TiO_8860": 0.12, "VO_7896": 0.06, "MgH_5211": 0.10,
        "C2_5165": 0.10, "C2_4737": 0.14, "C2_5636": 0.08, "CN_7873": 0.05, "CN_8067": 0.05,
        "ZrO_6474": 0.17, "ZrO_6345": 0.10, "ZrO_6378": 0.10, "ZrO_5718": 0.11, "YO_6132": 0.06,
        "LaO_7404": 0.06,
    }
)  # fmt: skip
WIDE_KMS = 600.0  # emission lines of accretion discs are wider


def _line(name: str, label: str, high: str, low: str = "") -> KindFeature:
    border = 0.0 if "in emission" in low else None
    return KindFeature(f"EW_{name}", label, "Å", low, high, border)


def _edge(head: str, label: str, high: str) -> KindFeature:
    name, label = f"{head}_edge", f"step at {label}"
    return KindFeature(name, label, "", "", high, CLEAR_STEP, None, NAMED_STEP[head])


def _graded(
    name: str, label: str, unit: str, low: str, high: str, low_to: float, high_from: float
) -> KindFeature:
    return KindFeature(name, label, unit, low, high, None, low_to, high_from)


_ALL = (
    _line("H_alpha", "Hα", "Hα absorbed", "Hα in emission"),
    _line("H_beta", "Hβ", "Hβ absorbed", "Hβ in emission"),
    _line("H_gamma", "Hγ", "Hγ absorbed", "Hγ in emission"),
    _line("H_delta", "Hδ", "Hδ absorbed", "Hδ in emission"),
    _line("H_8", "H8", "H8 absorbed", "H8 in emission"),
    _line("H_9", "H9", "H9 seen", "H9 not seen"),
    _line("H_10", "H10", "H10 seen", "H10 not seen"),
    _graded("H_11", "H11 ratio", "", "H11 stands clear", "H11 not seen", 0.9, 0.98),
    _graded("H_12", "H12 ratio", "", "H12 stands clear", "H12 not seen", 0.9, 0.98),
    _graded("H_beta_D2", "Hβ width", "Å", "Hβ narrow", "Hβ broad", 22, 26),
    _graded("H_gamma_D2", "Hγ width", "Å", "Hγ narrow", "Hγ broad", 18, 26),
    _graded("H_delta_D2", "Hδ width", "Å", "Hδ narrow", "Hδ broad", 20, 26),
    KindFeature("H_gamma_depth", "lowest flux in Hγ", "", "Hγ deep", "Hγ shallow"),
    KindFeature("H_delta_fm", "lowest flux in Hδ", "", "Hδ deep", "Hδ shallow"),
    KindFeature("H_delta_D02", "Hδ width at 20 per cent", "Å", "Hδ narrow", "Hδ broad"),
    _graded("HdA", "HdA", "Å", "weak Hδ", "strong Hδ", 7.5, 7.5),
    _graded("HdF", "HdF", "Å", "weak Hδ core", "strong Hδ core", 3.5, 4.5),
    _graded("HgA", "HgA", "Å", "weak Hγ", "strong Hγ", 6.5, 6.5),
    _graded("HgF", "HgF", "Å", "weak Hγ core", "strong Hγ core", 3.5, 4.5),
    KindFeature("H_delta_wide_narrow", "Hδ wings over core", "", "short Hδ wings", "wide Hδ wings"),
    KindFeature("H_alpha_em_fwhm", "Hα FWHM", "km/s", "Hα emission narrow", "Hα emission wide",
        WIDE_KMS),
    KindFeature("H_beta_em_fwhm", "Hβ FWHM", "km/s", "Hβ emission narrow", "Hβ emission wide",
        WIDE_KMS),
    KindFeature("H_alpha_abs_fwhm", "Hα FWHM", "km/s", "Hα absorption narrow",
        "Hα absorption wide"),
    KindFeature("H_beta_abs_fwhm", "Hβ FWHM", "km/s", "Hβ absorption narrow", "Hβ absorption wide"),
    KindFeature("H_alpha_peak", "Hα peak", "", "Hα dips", "Hα rises above the continuum", 0.0),
    KindFeature("H_beta_peak", "Hβ peak", "", "Hβ dips", "Hβ rises above the continuum", 0.0),
    _line("HeI_4026", "He I 4026", "He I 4026 absorbed", "no He I 4026 absorption"),
    _line("HeI_4471", "He I 4471", "He I 4471 absorbed", "no He I 4471 absorption"),
    _line("HeI_5876", "He I 5876", "He I 5876 absorbed", "He I 5876 in emission"),
    _line("HeI_6678", "He I 6678", "He I 6678 absorbed", "He I 6678 in emission"),
    _line("HeI_7065", "He I 7065", "He I 7065 absorbed", "He I 7065 in emission"),
    _line("HeII_4200", "He II 4200", "He II 4200 absorbed"),
    KindFeature("HeII_4542", "He II 4542", "Å", "no He II 4542", "He II 4542 absorbed"),
    KindFeature("HeII_5411", "He II 5411", "Å", "no He II 5411", "He II 5411 absorbed"),
    _line("HeII_4686", "He II 4686", "He II 4686 absorbed", "He II 4686 in emission"),
    KindFeature("HeII_4686", "He II 4686 core", "Å", "", ""),
    _line("Bowen_4643", "blend at 4643", "", "Bowen blend in emission"),
    KindFeature("CIV_5805", "C IV 5805", "Å", "C IV 5805 in emission", "", 0.0),
    _line("CaII_K", "Ca II K", "Ca II K strong", "Ca II K weak"),
    KindFeature("Ca_K", "Ca K ratio", "", "Ca II K deep", "Ca II K shallow"),
    _line("MgII_4481", "Mg II 4481", "Mg II 4481 absorbed"),
    _line("OIII_5007", "[O III] 5007", "", "[O III] 5007 in emission"),
    _line("OIII_4959", "[O III] 4959", "", "[O III] 4959 in emission"),
    _line("SII_6716", "[S II] 6716", "", "[S II] 6716 in emission"),
    _line("CaII_8542", "Ca II 8542", "Ca II 8542 absorbed", "Ca II 8542 in emission"),
    _line("Pa_12", "P12", "Paschen lines absorbed", ""),
    _line("Pa_14", "P14", "Paschen lines absorbed", ""),
    _line("OI_8446", "O I 8446", "", "O I 8446 in emission"),
    _line("FeI_5270", "Fe I 5270", "Fe I 5270 strong", "no Fe I 5270"),
    _line("LiI_6708", "Li I 6708", "Li I 6708 absorbed"),
    _line("BaII_6497", "Ba II 6497", "Ba II 6497 strong"),
    _graded("Dn4000", "4000 Å break", "", "no 4000 Å break", "strong 4000 Å break", 1.1, 1.5),
    _graded("Balmer_jump_3720", "flux at 4040 over 3720", "", "no Balmer jump", "Balmer jump", 1.1,
        1.5),
    _graded("CH_G4300", "G band", "Å", "no G band", "G band", 1.5, 4.0),
    KindFeature("colour_4200_5400", "flux at 4240 over 5400", "", "little blue light",
        "blue continuum"),
    KindFeature("colour_5400_6600", "flux at 5400 over 6630", "", "red continuum",
        "blue continuum"),
    KindFeature("colour_6600_7500", "flux at 6630 over 7520", "", "red continuum",
        "blue continuum"),
    KindFeature("colour_7500_8800", "flux at 7520 over 8725", "", "red continuum",
        "blue continuum"),
    KindFeature("bend", "bend", "", "smooth continuum", "humps or bands in the continuum"),
    _graded("TiO5", "TiO5", "", "TiO bands", "no TiO bands", 0.8, 0.9),
    _graded("TiO_4940", "TiO 4940 ratio", "", "no blue TiO", "TiO in the blue", 1.05, 1.1),
    _edge("TiO_7054", "7056", "TiO head at 7056"),
    _edge("TiO_6158", "6160", "TiO head at 6160"),
    _edge("TiO_8860", "8862", "TiO head at 8862"),
    _graded("VO1", "VO1", "", "VO bands", "", 0.9, 1.0),
    _graded("VO2", "VO2", "", "VO bands", "", 0.9, 1.0),
    _edge("VO_7896", "7898", "VO head at 7898"),
    _graded("CaH1", "CaH1", "", "CaH 6384 deep", "CaH 6384 absent", 0.82, 0.94),
    _graded("CaH2", "CaH2", "", "CaH trough deep", "CaH trough shallow", 0.6, 0.85),
    _graded("CaH3", "CaH3", "", "CaH trough deep", "CaH trough shallow", 0.7, 0.9),
    _graded("TiO5_excess", "TiO excess over CaH", "", "CaH as deep as in a dwarf",
        "TiO without CaH", 0.145, 0.145),
    _graded("NaI_8190", "Na I 8190", "Å", "Na I 8190 weak", "Na I 8190 strong", 1.2, 1.3),
    _graded("CaT", "Ca II triplet", "Å", "Ca II triplet weak", "Ca II triplet strong", 3.0, 6.2),
    _graded("Mg_b", "Mg b", "Å", "no Mg b", "Mg b strong", 0.5, 3.0),
    _graded("Na_D", "Na D", "Å", "Na D weak", "Na D strong", 5.7, 5.7),
    _edge("MgH_5211", "5212", "MgH edge at 5212"),
    _edge("C2_5165", "5167", "C2 edge at 5167"),
    _edge("C2_4737", "4738", "C2 edge at 4738"),
    _edge("C2_5636", "5637", "C2 edge at 5637"),
    _edge("CN_7873", "7875", "CN head at 7875"),
    _edge("CN_8067", "8069", "CN head at 8069"),
    _graded("CN_7872", "CN 7872 ratio", "", "CN band at 7872", "", 0.92, 1.0),
    _graded("MK_carbon", "carbon index", "", "no carbon bands", "carbon bands", 2.5, 3.0),
    _graded("Ba_4554", "Ba II 4554 ratio", "", "Ba II 4554 strong", "", 0.97, 1.0),
    _edge("ZrO_6474", "6475", "ZrO head at 6475"),
    _edge("ZrO_6345", "6347", "ZrO head at 6347"),
    _edge("ZrO_6378", "6380", "step at 6380 of ZrO or CaH"),
    _edge("ZrO_5718", "5720", "ZrO head at 5720"),
    _graded("ZrO_6474", "ZrO 6474 ratio", "", "ZrO band at 6475", "no ZrO band", 0.78, 0.9),
    _graded("ZrO_6345", "ZrO 6345 ratio", "", "ZrO band at 6347", "no ZrO 6347", 0.85, 0.95),
    _edge("YO_6132", "6134", "YO head at 6134"),
    _edge("LaO_7404", "7406", "LaO head at 7406"),
    KindFeature("OIII_both", "weaker of [O III] 5007 and 4959", "Å", "[O III] in emission", "",
        0.0),
    KindFeature("SII_both", "weaker of [S II] 6716 and 6731", "Å", "[S II] in emission", "", 0.0),
    KindFeature("HeI_both", "weaker of He I 4026 and 4471", "Å", "", "He I absorbed"),
    KindFeature("HeI_red_both", "weaker of He I 5876 and 6678", "Å", "He I in emission", "", 0.0),
    KindFeature("HeII_both", "weaker of He II 4542 and 5411", "Å", "", "He II absorbed"),
    KindFeature("Balmer_both", "weaker of Hα and Hβ", "Å", "Hα and Hβ in emission", "", 0.0),
    KindFeature("Balmer_em_fwhm", "narrower of Hα and Hβ", "km/s", "", "wide Balmer emission",
        WIDE_KMS),
    _graded("Balmer_narrowest", "narrower of Hβ and Hγ", "Å", "Balmer lines narrow",
        "Balmer lines broad", 20, 26),
    KindFeature("C2_both", "weaker of the C2 edges", "", "no C2 edges", "C2 edges", CLEAR_STEP,
        low_to=0.03, high_from=0.1),
    KindFeature("CN_both", "weaker of the CN heads", "", "", "CN heads", CLEAR_STEP,
        high_from=0.05),
    KindFeature("ZrO_both", "weaker of the ZrO heads", "", "", "ZrO heads", CLEAR_STEP,
        high_from=0.1),
    KindFeature("TiO_both", "weaker of two TiO heads", "", "no TiO heads", "TiO heads", CLEAR_STEP,
        low_to=0.04, high_from=0.1),
)  # fmt: skip
FEATURES: Mapping[str, KindFeature] = MappingProxyType({feature.name: feature for feature in _ALL})
