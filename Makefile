# make demo   set up and run the main job        make test   set up and run every check
# make bench  measure                            make help   the rest
#
# Needs Python 3.11 or later with venv, and nothing else: no root, pip only.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What an installation depends on. The build compiles the message catalogs, so a new translation counts too.
INPUTS := $(VENV)/pyvenv.cfg pyproject.toml constraints.txt hatch_build.py tools/messages.py \
          $(wildcard src/rackrent/locale/*/LC_MESSAGES/*.po)
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
READY_BENCH := $(VENV)/.ready-bench
READY_ENGINES := $(VENV)/.ready-engines

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-engines lint format bench soak messages lock clean

help:
	@echo "make demo      set up $(VENV) and run: rackrent compare examples/first-machine.yaml --html report.html"
	@echo "make test      set up $(VENV) and run ruff, mypy, import-linter and pytest"
	@echo "make test-engines  as root on Debian: install Chromium, Java and the like, and run tests/engines"
	@echo "make lint      the checks of make test that run nothing"
	@echo "make format    lay out the code and fix what ruff can fix"
	@echo "make bench     measure speed (installs gpuhunt to compare with)"
	@echo "make soak      simulate markets of 2,000 hosts for 30 days, 20 seeds (hours; what is done stays in build/soak)"
	@echo "make messages  bring the message catalogs up to the source and compile them"
	@echo "make lock      resolve constraints.txt anew"
	@echo "make clean     remove $(VENV) and what builds and checks left"
	@echo "PYTHON=python3.12 make test uses another Python."

demo: $(READY)
	@echo "rackrent: comparing examples/first-machine.yaml"
	@$(BIN)/rackrent compare examples/first-machine.yaml --html report.html

test: lint
	@echo "rackrent: pytest (the whole suite)"
	@$(BIN)/python -m pytest -n auto

test-engines: $(READY_ENGINES)
	@sh tools/engines.sh
	@echo "rackrent: pytest tests/engines (a browser, Spark, PDF)"
	@$(BIN)/python -m pytest tests/engines

lint: $(READY_DEV)
	@echo "rackrent: ruff check" && $(BIN)/ruff check --quiet .
	@echo "rackrent: ruff format --check" && $(BIN)/ruff format --quiet --check --output-format concise .
	@echo "rackrent: mypy (half a minute the first time)" && $(BIN)/mypy
	@echo "rackrent: lint-imports" && $(BIN)/lint-imports --no-logo

format: $(READY_DEV)
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format .

bench: $(READY_BENCH)
	@echo "rackrent: measuring"
	@$(BIN)/python -m benchmarks

soak: $(READY_DEV)
	@echo "rackrent: simulating 20 seeds (progress of each in build/soak)"
	@$(BIN)/python -m benchmarks.soak

messages: $(READY_DEV)
	@$(BIN)/python -m tools.messages update
	@$(BIN)/python -m tools.messages compile

lock: $(READY_DEV)
	@echo "rackrent: resolving constraints.txt for Python 3.11 and later"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-annotate \
	    --extra dev --extra bench --extra engines --extra pdf --extra exchange --output-file constraints.txt pyproject.toml

clean:
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -prune -exec rm -rf {} +
	@find src \( -name '*.mo' -o -name vega.js \) -delete

# --- set-up ---------------------------------------------------------------------------------------------------

$(VENV)/pyvenv.cfg:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	    echo "rackrent: there is no $(PYTHON) here; install Python 3.11 or later, or name one: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "rackrent needs Python 3.11 or later, and $(PYTHON) is older; name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo "rackrent: $(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "rackrent: making $(VENV) with $$($(PYTHON) -V)"
	@$(PYTHON) -m venv $(VENV)

$(READY): $(INPUTS)
	@echo "rackrent: installing rackrent and what it needs into $(VENV) (about a minute the first time)"
	@$(PIP) --editable .
	@touch $@

$(READY_DEV): $(INPUTS)
	@echo "rackrent: installing rackrent and its checks into $(VENV) (about a minute the first time)"
	@$(PIP) --editable '.[dev]'
	@touch $(READY) $@

$(READY_BENCH): $(READY_DEV)
	@echo "rackrent: installing what make bench compares with into $(VENV)"
	@$(PIP) --editable '.[dev,bench]'
	@touch $(READY) $(READY_DEV) $@

$(READY_ENGINES): $(READY_DEV)
	@echo "rackrent: installing what the engines are driven with into $(VENV)"
	@$(PIP) --editable '.[dev,engines,pdf]'
	@touch $(READY) $(READY_DEV) $@
