"""Sessions to report on, and their pages read back as a browser would, by Python's own parser."""

from html.parser import HTMLParser

import numpy as np

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum
from app.core.report.page import write_report
from app.core.session.records import Opinion
from app.core.statistics.calibration import calibrate
from app.core.statistics.repeats import record_repeat
from tests.agent.confidence.judged_samples import sample_judged
from tests.app.core.judged_sessions import A, R, U, inspect_scores, nano_sample, say, set_snr
from tests.app.core.sessions import made

VOID = frozenset({"br", "meta", "hr", "img", "input", "link"})


class Page(HTMLParser):
    """Elements, attributes and text; a tag that is left open or closed twice is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._met(tag, attrs)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._met(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def text(self) -> str:
        return "".join(data for tag, data in self.texts if tag not in ("style", "title"))

    def text_of(self, tag: str) -> list[str]:
        return [data for where, data in self.texts if where == tag]

    def _met(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]


EVIL = "\"><script>alert(1)</script><img src=x onerror='alert(2)'></style></title></svg>"


def read(candidate):
    wavelength = np.linspace(3800.0, 9200.0, 1000)
    flux = 10.0 + np.random.default_rng(candidate.id).normal(size=1000)
    return Spectrum(
        wavelength=wavelength, flux=flux, object_id=candidate.object_id, simulated=candidate.id == 1
    )


def broken(candidate):
    raise ReadError(f"cut short {EVIL}")


def written(session, out, read=read):
    assert write_report(session, out, read) == out
    return Page(out.read_text(encoding="utf-8"))


def lived_in(location, rng):
    """Two people, a model, a repeat, a calibration; candidates 150 on are open."""
    field = sample_judged(rng, 300, prior=0.3)
    session = made(location, 300, reviewer="Ada")
    inspect_scores(session, field.p)
    set_snr(session, {n: 3.0 + n % 70 for n in range(1, 301)})
    truth = {n: A if real else R for n, real in enumerate(field.label.tolist()[:149], 1)}
    say(session, "Ada", truth)
    say(session, "Ben", {n: U if n % 20 == 0 else v for n, v in truth.items()})
    record_repeat(session, 1, Opinion(verdict=U))
    calibrate(session, nano_sample(session))
    return session
