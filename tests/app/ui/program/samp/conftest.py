"""A hub and a program that plays TOPCAT beside a window."""

from tests.app.services.samp.conftest import hub, lock, topcat  # noqa: F401
