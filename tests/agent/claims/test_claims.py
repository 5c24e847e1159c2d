import pytest

from agent.claims.against_table import conflicts
from agent.claims.claims import MAX_CLAIMS, Claim, claims_of
from agent.claims.features import Feature
from agent.claims.lexicon import find_mentions, normalize_spelling
from agent.spectra.lines import builtin_lines


def only(text: str, quantity: str) -> Claim:
    found = [claim for claim in claims_of(text) if claim.quantity == quantity]
    assert len(found) == 1, found
    return found[0]


def ids(claim: Claim) -> set[str]:
    return {feature.id for feature in claim.features}


@pytest.mark.parametrize(("text", "quantity", "feature", "value"), [
    ("Hα is in emission with an equivalent width of 52 Å.", "strength", "H_alpha", 52.0),
    ("There is emission at Hα, 1.0 Å.", "strength", "H_alpha", 1.0),
    ("Hα is in emission, 1500 km/s wide.", "width_kms", "H_alpha", 1500.0),
    ("Hα has a FWHM of 33 Å.", "width", "H_alpha", 33.0),
    ("I measure 39 Å for the Hβ width at half depth.", "strength", "H_beta_D2", 39.0),
    ("The flux drops by 22 per cent at the ZrO head at 6475.5.", "step", "ZrO_6474_edge", 0.22),
    ("No C2 edge at 5166.6 (-0.53).", "step", "C2_5165_edge", -0.53),
    ("TiO5 has a value of 0.94.", "strength", "TiO5", 0.94),
    ("Hα stands out at 12 sigma.", "sigma", "H_alpha", 12.0),
    ("The peaks of Hα are 900 km/s apart.", "separation", "H_alpha", 900.0),
])  # fmt: skip
def test_numbers(text: str, quantity: str, feature: str, value: float) -> None:
    found = only(text, quantity)
    assert feature in ids(found) and found.value == pytest.approx(value)


def test_the_feature_may_stand_in_the_sentence_before() -> None:
    assert "H_alpha" in ids(only("Look at Hα. It is 1500 km/s wide.", "width_kms"))


@pytest.mark.parametrize(("text", "state"), [
    ("Hα is in emission.", "emission"),
    ("Hα is absorbed.", "absorption"),
    ("no Hα", "absent"),
    ("Hα is not seen", "absent"),
    ("Hα is not in emission", "no emission"),
    ("The line Hα is there.", "present"),
])  # fmt: skip
def test_states(text: str, state: str) -> None:
    assert only(text, "state").state == state


def test_a_list_shares_its_state() -> None:
    states = [claim for claim in claims_of("Hα, Hβ and Hγ are absorbed.") if claim.state]
    assert [ids(claim) for claim in states] == [{"H_alpha"}, {"H_beta"}, {"H_gamma"}]


@pytest.mark.parametrize("text", [
    "Is Hα in emission?", "I check whether Hα is in emission.", "It could be that Hα is absorbed.",
    "It is no M dwarf: TiO5 is 0.97.",
])  # fmt: skip
def test_questions_plans_and_kinds_are_no_states(text: str) -> None:
    assert not any(claim.state for claim in claims_of(text))


def test_whole_and_windows() -> None:
    text = (
        "The data reach from 3700 to 9100 Å, median S/N 34. A blue continuum. They end at 9100 Å."
    )
    quantities = [claim.quantity for claim in claims_of(text)]
    assert sorted(quantities) == ["colour", "coverage", "snr", "window"]
    assert claims_of("First I look at Hα, 6450 to 6750 Å.")[0].is_plan


def test_limits_and_counts() -> None:
    assert only("Hα is wider than 600 km/s.", "width_kms").compare == "above"
    assert only("Na I 8190 is below 1.3 Å.", "strength").compare == "below"
    assert not claims_of("I saw 3 lines and two heads in 4 windows.")


def test_a_number_without_a_feature_is_a_claim() -> None:
    assert only("The whole is 1430 km/s wide.", "width_kms").features == ()


@pytest.mark.parametrize(
    "text", ["", "\\boxed{YES}", "é" * 1000, "[" * 500, "9" * 5000, "Hα " * 3000, "1 Å, " * 3000]
)
def test_the_number_of_claims_is_bounded(text: str) -> None:
    assert len(claims_of(text)) <= MAX_CLAIMS


@pytest.mark.parametrize(("text", "expected"), [
    ("H alpha, H-beta and Hγ", ["H_alpha", "H_beta", "H_gamma"]),
    ("HeI 6678 and He I 6680.0", ["HeI_6678", "HeI_6678"]),
    ("[OIII] λ5007", ["OIII_5007"]),
    ("the ZrO head at 6475", ["ZrO_6474_edge"]),
    ("C₂ edge near 5165", ["C2_5165_edge"]),
    ("CN 7873 and 8067", ["CN_7873_edge", "CN_8067_edge"]),
    ("the step at 7056.4", ["TiO_7054_edge"]),
    ("the 4000 Å break, TiO5 and the G band", ["Dn4000", "TiO5", "CH_G4300"]),
    ("Hγ width at half depth", ["H_gamma_D2"]),
    ("nothing of the sort in HdA", ["HdA"]),
])  # fmt: skip
def test_names_of_features(text: str, expected: list[str]) -> None:
    found = find_mentions(normalize_spelling(text))
    assert len(found) == len(expected)
    for mention, name in zip(found, expected, strict=True):
        assert name in {feature.id for feature in mention.features}


@pytest.mark.parametrize(("feature", "name"), [
    (Feature("H_alpha", is_line=True), "Hα"),
    (Feature("ZrO_6474_edge"), "ZrO edge at 6475.5"),
    (Feature("Dn4000"), "4000 Å break"),
    (Feature("H_gamma_D2"), "Hγ width at half depth"),
    (Feature("TiO5"), "TiO5"),
])  # fmt: skip
def test_names(feature: Feature, name: str) -> None:
    assert feature.name == name


def test_units_of_sums_and_edges_without_an_index() -> None:
    assert Feature("CaT").unit == "Å"
    assert Feature("CN_4216_edge").index.head is not None


# A thought against the table of its look.
TABLE = {
    "lines": [
        {"name": "H_alpha", "kind": "emission", "ew": -198.0, "sigma": 655.0},
        {"name": "HeII_4686", "kind": "absorption", "ew": 2.0, "sigma": 24.0},
        {"name": "H_beta", "kind": "emission", "ew": -1.0, "sigma": 4.0},
    ]
}


@pytest.mark.parametrize(("thought", "names"), [
    ("Nothing clear.", ["H_alpha"]),
    ("No Hα emission is seen.", ["H_alpha"]),
    ("Hα is in absorption; He II 4686 is not seen.", ["H_alpha", "HeII_4686"]),
    ("Hα in emission, He II 4686 in absorption.", []),
    ("Hβ is in absorption.", []),  # not significant enough to be held against anybody
    ("I look at Hα next. Is it in absorption?", []),
    ("", []),
])  # fmt: skip
def test_a_thought_that_its_table_contradicts_is_found(thought, names):
    assert [each.line.name for each in conflicts(thought, TABLE)] == names


@pytest.mark.parametrize(("name", "ew", "fwhm_kms", "sigma", "edges", "held"), [
    ("H_gamma", -11.0, 2050.0, 40.4, 0, True),  # a disc
    ("H_delta", 31.2, 3350.0, 230.0, 0, True),  # a white dwarf
    ("HeII_5411", 0.532, 259.0, 43.5, 0, True),  # an O star
    ("CaI_4227", 13.9, 760.0, 33.2, 0, True),  # an M dwarf
    ("H_beta", 23.3, 3190.0, 14.8, 1, False),  # between bands of TiO
    ("HeI_6678", 0.755, 469.0, 17.6, 1, False),
    ("HeII_4542", 1.43, 264.0, 10.8, 0, False),  # a blend in an M dwarf
    ("HeI_4026", -12.9, 3560.0, 21.0, 0, False),  # between the metals of a K star
    ("CaI_4227", -22.8, 1690.0, 15.7, 0, False),  # between bands of CN
    ("HeII_4686", -1.52, 3070.0, 39.7, 0, False),  # a slope
    ("FeI_5270", 2.24, 1960.0, 34.6, 0, False),  # a band
])  # fmt: skip
def test_what_is_no_line_of_its_name_is_held_against_nobody(name, ew, fwhm_kms, sigma, edges, held):
    kind, centroid = "emission" if ew < 0 else "absorption", builtin_lines()[name].wavelength
    row = {"name": name, "kind": kind, "ew": ew, "sigma": sigma, "centroid": centroid}
    table = {
        "lines": [row | {"fwhm_kms": fwhm_kms}],
        "edges": [{"drop": 0.2, "sigma": 9.0}] * edges,
    }
    assert bool(conflicts("Nothing clear.", table)) is held


@pytest.mark.parametrize(
    "table",
    [{}, {"lines": 3}, {"lines": [None, {"name": 4}, {"name": "H_alpha", "kind": "emission"}]},
     {"lines": [{"name": "H_alpha", "kind": "emission", "ew": float("nan"), "sigma": 99.0}]},
     {"lines": [{"name": "H_alpha", "kind": "emission", "ew": True, "sigma": "9"}]}],
)  # fmt: skip
def test_a_strange_table_contradicts_nothing(table):
    assert conflicts("Nothing clear.", table) == ()
