# Every target sets up what it needs: a virtual environment in .venv, made again when
# pyproject.toml or the pins change. Needs Python 3.11 or newer, make, and pip's index.

SHELL := /bin/sh
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	>/dev/null 2>&1 && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c packaging/constraints.txt
# One more than there are processors: some tests wait.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# A bundle takes in what its environment has, so it has one of its own. BUNDLE=--folder: no archives.
BUNDLER := build/bundler
BUNDLE ?=
PINS := pyproject.toml packaging/constraints.txt packaging/llama_wheel.sh packaging/test_tools.sh

.PHONY: run test check bench docs app format clean

run: $(VENV)/.base ## set up, then the demo on the bundled sample
	$(BIN)/spec-o3 demo

# A worker takes a long stretch of the tests at once, so that few fixtures are made twice.
test: $(VENV)/.dev ## every test
	PYTHONDONTWRITEBYTECODE= QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: $(VENV)/.dev ## lint, format, types, import contracts, layout of the source
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python packaging/check_layout.py

bench: $(VENV)/.dev ## one JSON line per figure
	$(BIN)/python -m tests.bench

docs: $(VENV)/.dev ## the Python interface as a page, from its docstrings, in build/python
	$(BIN)/pdoc --no-show-source -o build/python agent.api app.session_api

app: $(BUNDLER)/.ready ## the program in a folder, and what people download, in dist/
	$(BUNDLER)/bin/python packaging/bundle.py $(BUNDLE)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (try: apt-get install python3)" >&2; exit 1; }
	@sh packaging/virtual_environment.sh $(PYTHON) $(VENV)

$(VENV)/.base: $(PINS) | $(VENV)/bin/python
	$(PIP) -e .
	sh packaging/system_libraries.sh
	touch $@

$(BUNDLER)/.ready: $(PINS)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (try: apt-get install python3)" >&2; exit 1; }
	@sh packaging/virtual_environment.sh $(PYTHON) $(BUNDLER)
	sh packaging/llama_wheel.sh $(BUNDLER)/bin/python
	$(BUNDLER)/bin/python -m pip --disable-pip-version-check install -q -c packaging/constraints.txt -e '.[bundle]'
	sh packaging/system_libraries.sh
	touch $@

$(VENV)/.dev: $(PINS) | $(VENV)/bin/python
	sh packaging/llama_wheel.sh $(BIN)/python
	$(PIP) -e '.[dev,formats,train,teams]'
	sh packaging/system_libraries.sh
	sh packaging/test_tools.sh
	touch $@ $(VENV)/.base
