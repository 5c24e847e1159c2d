"""Exceptions with a traceback, as the hooks get them."""

from __future__ import annotations


def raised(error: BaseException):
    try:
        raise error
    except BaseException as caught:
        return type(caught), caught, caught.__traceback__
