"""What the scores of a rating mean; people and models are given the same words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

Criterion = Literal["coherence", "consistency"]
Score = Literal["coherence", "consistency", "overall"]

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
SCORES: tuple[Score, ...] = get_args(Score)
"""`overall` is the one number of a rating given in passing, beside the spectrum."""
LOWEST, HIGHEST = 0, 5

QUESTIONS: Mapping[Score, str] = MappingProxyType(
    {
        "coherence": "Does each step follow from the one before, and the answer from the steps?",
        "consistency": "Is all that is said of the spectrum true to the pictures and to physics?",
        "overall": "How far would you trust an agent that works like this?",
    }
)
MEANINGS: Mapping[Score, tuple[str, ...]] = MappingProxyType(
    {
        "coherence": (
            "No line of thought: unrelated sentences, or no answer",
            "The answer contradicts the steps",
            "Several steps do not follow, or the looks have nothing to do with the question",
            "The thread can be followed, but a needed look or reason is missing",
            "Sound from start to end, with a needless or repeated step",
            "Each look has a purpose, each conclusion its reason, and the answer sums them up",
        ),
        "consistency": (
            "What decides the answer is invented: the feature or number is not in the spectrum",
            "Most statements are wrong",
            "A statement that matters is wrong, such as a line of another element or of the "
            "wrong sign",
            "What matters is right; several side remarks are wrong or cannot be seen",
            "All right but for a slip without consequence, such as a number somewhat off",
            "Everything said is in the pictures and agrees with physics",
        ),
        "overall": (
            "Useless: made up, or no answer",
            "Wrong in what matters",
            "More wrong than right",
            "Usable after checking everything",
            "Good, with a small slip",
            "As an expert would have done it",
        ),
    }
)


def rubric_text() -> str:
    """The questions with the meaning of each score, for a model that judges."""
    lines: list[str] = []
    for name in CRITERIA:
        lines.append(f"{name}, {LOWEST} to {HIGHEST}: {QUESTIONS[name]}")
        lines += [f"  {score}: {meaning}." for score, meaning in enumerate(MEANINGS[name])]
    return "\n".join(lines)
