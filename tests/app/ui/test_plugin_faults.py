"""Faults of plug-ins, found in any thread, reach the window in its language."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject

from agent import plugins
from app.ui.program.application import PluginFaults
from tests.app.ui.steps import heard

FAULT = ("readers", "Broken", "a_package 1.0", "failed with OSError: no licence: left out")


@pytest.fixture(autouse=True)
def no_faults(monkeypatch):
    monkeypatch.setattr(plugins, "_faults", [])
    monkeypatch.setattr(plugins, "listeners", [])


def report_elsewhere():
    thread = threading.Thread(target=plugins.report, args=FAULT)
    thread.start()
    thread.join()


def test_a_fault_found_in_a_thread_is_shown_in_that_of_the_window(qtbot):
    owner, seen = QObject(), []
    faults = PluginFaults(owner)
    faults.found.connect(lambda text: seen.append((text, threading.current_thread())))
    with qtbot.waitSignal(faults.found):
        report_elsewhere()
    text = "plug-in Broken of a_package 1.0 (readers): failed with OSError: no licence: left out"
    assert seen == [(text, threading.main_thread())]


def test_in_chinese(qtbot, chinese):
    owner = QObject()
    faults = PluginFaults(owner)
    said = heard(qtbot, faults.found, report_elsewhere)
    assert said.startswith("插件 Broken（a_package 1.0，readers）：失败（OSError：")


def test_nothing_is_told_to_a_window_that_is_gone(qtbot):
    owner = QObject()
    PluginFaults(owner)
    assert len(plugins.listeners) == 1
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete)
    assert plugins.listeners == []
    report_elsewhere()
