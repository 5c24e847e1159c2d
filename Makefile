# Every target sets up what it needs: a virtual environment in .venv, made again when
# pyproject.toml or the pins change. Needs Python 3.11 or newer, make, and pip's index.

SHELL := /bin/sh
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	>/dev/null 2>&1 && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c packaging/constraints.txt
# Two more than there are processors: some tests wait, and with one more they still rest at times.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# A bundle takes in what its environment has, so it has one of its own. BUNDLE=--folder: no archives.
BUNDLER := build/bundler
BUNDLE ?=
STEP := @sh packaging/step.sh
TEST := env PYTHONDONTWRITEBYTECODE= QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest --dist worksteal
PINS := pyproject.toml packaging/constraints.txt packaging/llama_wheel.sh packaging/llama_libraries.cmake packaging/test_tools.sh

.PHONY: run test test-slow coverage check bench site app format clean

run: $(VENV)/.base ## set up, then the demo on the bundled sample
	$(BIN)/spec-o3 demo

# A worker takes a long stretch of the tests at once, so that few fixtures are made twice.
test: $(VENV)/.dev ## every test
	$(TEST) -n $(JOBS)

test-slow: $(VENV)/.dev ## every test beside three busy loops, then on one core alone; by night
	sh packaging/beside_busy_loops.sh 3 $(TEST) -n $(JOBS)
	taskset -c 0 $(TEST) -n 1

# Child processes are counted, too.
coverage: $(VENV)/.dev ## which lines and branches every test together reaches; pages in build/coverage
	mkdir -p build/coverage
	$(TEST:pytest=coverage run -m pytest) -n $(JOBS)
	$(BIN)/coverage combine -q
	$(BIN)/coverage html -q -d build/coverage
	$(BIN)/coverage report --skip-covered --sort=cover

check: $(VENV)/.dev ## lint, format, types, import contracts, layout of the source, clocks in tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python packaging/check_layout.py
	$(BIN)/python packaging/check_clocks.py

bench: $(VENV)/.dev ## one JSON line per figure
	$(BIN)/python -m tests.bench

site: $(VENV)/.site ## the guide, the changelog and the Python interface as web pages, in build/site
	mkdir -p build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -f packaging/site/mkdocs.yml -d $(CURDIR)/build/site
	$(BIN)/pdoc --no-show-source -t packaging/site/python -o $(CURDIR)/build/site/python agent.api app.session_api app.finding_api

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
	$(STEP) "Packages from pip's index" $(PIP) -e .
	$(STEP) "System libraries" sh packaging/system_libraries.sh
	touch $@

$(VENV)/.site: $(PINS) | $(VENV)/bin/python
	$(STEP) "Packages from pip's index" $(PIP) -e '.[site]'
	touch $@

$(BUNDLER)/.ready: $(PINS)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (try: apt-get install python3)" >&2; exit 1; }
	@sh packaging/virtual_environment.sh $(PYTHON) $(BUNDLER)
	$(STEP) "llama-cpp-python" sh packaging/llama_wheel.sh $(BUNDLER)/bin/python
	$(STEP) "Packages from pip's index" $(BUNDLER)/bin/python -m pip --disable-pip-version-check install -q \
		-c packaging/constraints.txt -e '.[bundle]'
	$(STEP) "System libraries" sh packaging/system_libraries.sh
	touch $@

$(VENV)/.dev: $(PINS) | $(VENV)/bin/python
	$(STEP) "llama-cpp-python" sh packaging/llama_wheel.sh $(BIN)/python
	$(STEP) "Packages from pip's index" $(PIP) -e '.[dev,formats,train,teams,site]'
	$(STEP) "System libraries" sh packaging/system_libraries.sh
	$(STEP) "Programs that tests compare with" sh packaging/test_tools.sh
	touch $@ $(VENV)/.base $(VENV)/.site
