"""Unsupported claims are found, and other text is not mistaken for them."""

import random

import pytest

from app.ui.judge.agent.claims import claims, unsupported


def named(text):
    return [claim.text for claim in claims(text)]


@pytest.mark.parametrize(
    "text, words",
    [
        ("Hα and H-beta in emission, Hgamma too", ["Hα", "H-beta", "Hgamma"]),
        ("He II 4686 is strong", ["He II 4686"]),
        ("HeII 4686 is strong", ["HeII 4686"]),
        ("He I 4471, 5876 and 6678 are seen", ["He I 4471", "He I 5876", "He I 6678"]),
        ("[O III] 4959/5007 are absent", ["[O III] 4959", "[O III] 5007"]),
        ("TiO 7054 and C₂ 5165 band heads", ["TiO 7054", "C₂ 5165"]),
        ("Ca II K, Ca K and Na D", ["Ca II K", "Ca K", "Na D"]),
        ("a bump at 6563.5 Å and a dip at 5170 A", ["6563.5 Å", "5170 A"]),
        ("flat from 5000 to 6000 Å", ["5000 to 6000 Å"]),
        ("a feature near 4640 angstroms", ["4640 angstroms"]),
    ],
)
def test_lines_and_wavelengths(text, words):
    assert named(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "", "The temperature is about 4500 K and the velocity 1500 km/s.",
        "An equivalent width of -30.5 Å; S/N 5000; flux 4240 over 6630.",
        "Balmer lines and He I emission, broad TiO bands, the H I series.",
        "Next I look at Hβ, 4800 to 4900 Å.", "I will check He II 4686.",
        "Not testable here: Hα.", "Na D cannot be measured; Hα lies outside the spectrum.",
        "The redshifted C IV 1549 line.", "Chapter 5 of H2O and HD 5980, obsid 123456789.",
    ],
)  # fmt: skip
def test_text_without_a_claim(text):
    assert named(text) == []


def test_a_window_supports_claims_within_it_or_just_outside():
    text = "Hα is broad. He II 4686 stands beside Hβ. Na D is deep."
    found = [claim.text for claim in unsupported(text, [(6450, 6750)])]
    assert found == ["He II 4686", "Hβ", "Na D"]
    assert [claim.text for claim in unsupported(text, [(6450, 6750), (4550, 5050)])] == ["Na D"]
    assert unsupported(text, [(3700, 9000)]) == ()
    assert unsupported("rising from 5000 to 6000 Å", [(5900, 6100)]) == ()
    assert unsupported("rising from 5000 to 6000 Å", [(6500, 6600)]) != ()
    assert unsupported("Hα at its edge", [(6400, 6550)]) == ()
    assert unsupported("Hα at its edge", [(6400, 6500)]) != ()
    text = "Hα is there. Hα again, and He I 5876."
    first, second = unsupported(text, [(3700, 3800)])
    assert text[first.start : first.end] == "Hα" and first.start == 0
    assert text[second.start : second.end] == "He I 5876"


def test_any_text_of_a_model_is_handled():
    pieces = ["Hα", "He I ", "4", "44", "4686", " and ", ", ", "Å", ".", "\n", " ", "[O III", "]"]
    chance = random.Random(5)
    for _ in range(300):
        text = "".join(chance.choices(pieces, k=chance.randrange(60)))
        for claim in unsupported(text, [(4000, 4100)]):
            assert 0 <= claim.start < claim.end <= len(text)
    assert len(unsupported("Hβ " * 50_000, [])) == 1
